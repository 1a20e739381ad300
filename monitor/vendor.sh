#!/usr/bin/env bash
# Fetch the libraries of the dashboard's pages from npm, by name and version, into
# dashboard/static/vendor/NAME-VERSION. What comes of it is committed: nothing else needs npm.
set -euo pipefail
cd "$(dirname "$0")/src/eyewall_monitor/dashboard/static/vendor"

# vendor PACKAGE VERSION FILE…: these files of the package, and its LICENSE.
vendor() {
  local package=$1 version=$2 name=${1##*/}-$2 fetched
  shift 2
  fetched=$(mktemp -d)
  npm pack "$package@$version" --silent --pack-destination "$fetched" >/dev/null
  tar -xzf "$fetched"/*.tgz -C "$fetched"
  rm -rf "$name"
  for file in LICENSE "$@"; do
    install -D -m 644 "$fetched/package/$file" "$name/${file#dist/}"
  done
  rm -rf "$fetched"
}

vendor lit-html 3.3.3 lit-html.js directive.js directive-helpers.js directives/repeat.js directives/live.js
vendor @dagrejs/dagre 3.1.3 dist/dagre.esm.js dist/dagre.esm.js.LEGAL.txt
vendor uplot 1.6.32 dist/uPlot.iife.min.js dist/uPlot.min.css

# uPlot's only small build is a script that sets a global: as a module it keeps that to itself.
(cat uplot-1.6.32/uPlot.iife.min.js && echo && echo 'export default uPlot;') >uplot-1.6.32/uPlot.js
rm uplot-1.6.32/uPlot.iife.min.js

# The pages' own modules are checked against their types; these have none.
find . -name '*.js' -exec sed -i '1i // @ts-nocheck' {} +
