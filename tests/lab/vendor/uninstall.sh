#!/bin/sh
# The uninstall script that an HDK package leaves behind: the same installer, kept beside it.
folder=$(dirname "$(readlink -f "$0")")
cd "$folder/kept" && exec sh ./install.sh --uninstall "$@"
