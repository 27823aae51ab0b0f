#include "formats/gguf_types.h"

namespace sglrun::formats {
namespace {

// 4, 5 and 31 to 38 belonged to types that were removed; files with them are older than GGUF or
// hold layouts repacked for one machine.
constexpr GgufTensorType kTypes[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},       {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},      {6, "Q5_0", 32, 22},    {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 0, 0},      {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144}, {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 0, 0},     {16, "IQ2_XXS", 0, 0},
    {17, "IQ2_XS", 0, 0},     {18, "IQ3_XXS", 0, 0},  {19, "IQ1_S", 0, 0},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 0, 0},    {22, "IQ2_S", 0, 0},
    {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},       {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},      {28, "F64", 1, 8},
    {29, "IQ1_M", 0, 0},      {30, "BF16", 1, 2},     {34, "TQ1_0", 0, 0},
    {35, "TQ2_0", 0, 0},      {39, "MXFP4", 32, 17},  {40, "NVFP4", 0, 0},
    {41, "Q1_0", 0, 0},
};

}  // namespace

const GgufTensorType* FindGgufTensorType(std::uint32_t id) {
  for (const GgufTensorType& type : kTypes) {
    if (type.id == id) return &type;
  }
  return nullptr;
}

}  // namespace sglrun::formats
