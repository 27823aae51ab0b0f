# What `cmake --install` and the packages hold: the program, which needs none of the other files to
# run, its manual page, the completions of three shells, the presets, the scripts for clusters, and the
# licence.
include(GNUInstallDirs)

# The files that the program itself prints: made after it is built.
set(made ${CMAKE_BINARY_DIR}/packaged)
file(MAKE_DIRECTORY ${made})
add_custom_command(
  OUTPUT ${made}/sglrun.1.gz ${made}/sglrun ${made}/_sglrun ${made}/sglrun.fish ${made}/changelog.gz
  COMMAND sh -c "gzip -9n < \"$2\" > sglrun.1.gz && \"$0\" completion bash > sglrun && \"$0\" completion zsh > _sglrun && \"$0\" completion fish > sglrun.fish && gzip -9n < \"$1\" > changelog.gz"
          $<TARGET_FILE:sglrun> ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_BINARY_DIR}/man/sglrun.1
  DEPENDS sglrun manual_page ${CMAKE_SOURCE_DIR}/CHANGELOG.md
  WORKING_DIRECTORY ${made}
  VERBATIM)
add_custom_target(packaged_files ALL DEPENDS ${made}/sglrun.1.gz)

if(SGLRUN_PORTABLE)
  # The libraries, too, for systems that have other ones: all but those of the compiler and of glibc,
  # which are compatible with older builds. The program finds them wherever the tree stands. RPATH
  # instead of RUNPATH, because the libraries need one another.
  set_target_properties(sglrun PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/sglrun")
  target_link_options(sglrun PRIVATE -Wl,--disable-new-dtags)
  install(TARGETS sglrun RUNTIME_DEPENDENCY_SET libraries RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(RUNTIME_DEPENDENCY_SET libraries
          POST_EXCLUDE_REGEXES "/(libc|libm|libstdc\\+\\+|libgcc_s|ld-linux-x86-64|libcuda)\\.so"
          DESTINATION lib/sglrun)
else()
  install(TARGETS sglrun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${made}/sglrun.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${made}/sglrun DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${made}/_sglrun DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${made}/sglrun.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY configs cluster DESTINATION ${CMAKE_INSTALL_DATADIR}/sglrun USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${made}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sglrun)
set(CPACK_PACKAGE_CONTACT "The sglrun authors <authors@sglrun.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "offline batch inference for language models on the command line")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Reads files of prompts and writes files of answers in the same order. Every\nrecord gets a row, a stopped run continues, and a row depends on its record\nalone. Needs neither Python nor a server.")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
