#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <new>

#include "io/output_file.h"

namespace sglrun::io {
namespace {

constexpr int kGzipWindow = 16 + MAX_WBITS;  // 16: with gzip's header and trailer
constexpr std::size_t kOutputChunk = std::size_t{1} << 18;

bool EndsWith(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

// zlib counts in 32 bits, so input goes in by pieces.
uInt Piece(std::string_view bytes) {
  return static_cast<uInt>(
      std::min<std::size_t>(bytes.size(), std::numeric_limits<std::int32_t>::max()));
}

Bytef* Input(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

// Calls deflate or inflate once, after enlarging `out` by a chunk; removes the consumed input from
// `bytes`.
int OneChunk(int (*call)(z_stream*, int), int flush, z_stream& stream, std::string_view& bytes,
             std::string& out) {
  const uInt piece = Piece(bytes);
  stream.next_in = Input(bytes);
  stream.avail_in = piece;
  const std::size_t used = out.size();
  out.resize(used + kOutputChunk);
  stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
  stream.avail_out = kOutputChunk;
  const int code = call(&stream, flush);
  bytes.remove_prefix(piece - stream.avail_in);
  out.resize(out.size() - stream.avail_out);
  return code;
}

std::string GzipMember(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out;
  int code = Z_OK;
  while (code != Z_STREAM_END) {
    const bool is_last = Piece(bytes) == bytes.size();
    code = OneChunk(deflate, is_last ? Z_FINISH : Z_NO_FLUSH, stream, bytes, out);
  }
  deflateEnd(&stream);
  return out;
}

std::string ZstdFrame(std::string_view bytes) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  CHECK(ZSTD_isError(size) == 0) << ZSTD_getErrorName(size);
  out.resize(size);
  return out;
}

Result<std::string> GunzipAll(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  std::string out;
  int code = Z_STREAM_END;
  while (!bytes.empty() && (code == Z_OK || code == Z_STREAM_END)) {
    if (code == Z_STREAM_END) inflateReset(&stream);
    code = OneChunk(inflate, Z_NO_FLUSH, stream, bytes, out);
  }
  // Output may be pending after all input has been consumed.
  while (code == Z_OK) code = OneChunk(inflate, Z_NO_FLUSH, stream, bytes, out);
  inflateEnd(&stream);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code != Z_STREAM_END) return Error{"damaged gzip data"};
  return out;
}

Result<std::string> UnzstdAll(std::string_view bytes) {
  ZSTD_DStream* stream = ZSTD_createDStream();
  if (stream == nullptr) throw std::bad_alloc();
  std::string out;
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t code = 0;
  bool full = false;  // the last call filled its output space, so more may be pending
  while ((in.pos < in.size || full) && ZSTD_isError(code) == 0) {
    const std::size_t used = out.size();
    out.resize(used + kOutputChunk);
    ZSTD_outBuffer room{out.data() + used, kOutputChunk, 0};
    code = ZSTD_decompressStream(stream, &room, &in);
    full = room.pos == room.size && code != 0;
    out.resize(used + room.pos);
  }
  ZSTD_freeDStream(stream);
  if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  if (code != 0) return Error{"damaged zstd data"};
  return out;
}

}  // namespace

Compression CompressionOf(std::string_view path) {
  if (EndsWith(path, ".gz")) return Compression::kGzip;
  if (EndsWith(path, ".zst")) return Compression::kZstd;
  return Compression::kNone;
}

std::string Compress(std::string_view bytes, Compression compression) {
  if (compression == Compression::kGzip) return GzipMember(bytes);
  if (compression == Compression::kZstd) return ZstdFrame(bytes);
  return std::string(bytes);
}

Result<std::string> Decompress(std::string_view bytes, Compression compression) {
  if (compression == Compression::kGzip) return GunzipAll(bytes);
  if (compression == Compression::kZstd) return UnzstdAll(bytes);
  return std::string(bytes);
}

}  // namespace sglrun::io
