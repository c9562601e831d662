"""The gate: deployment files are judged before anything is deployed, with no NPU at hand.

Data flows one way:

    files.py      a folder -> the few files that may concern Ascend (`Repository`, `File`)
    readers       a file -> units: what will be built or run, each value with its line (`unit.py`)
    link.py       units that build on each other become one: Compose and the Dockerfile that it builds
    judging       a unit -> findings, by the compatibility matrix, the variables' engine and the checks' words
    report.py     findings -> one `HostReport` a file

A reader is a function `(file, repository) -> Iterable[Unit]` that is registered with `@reader` for the file
names that it reads. What it cannot resolve (a variable, a private image) stays in the unit by name: a
`Setting` with `unresolved`, or an entry in `Unit.open`. It raises `Unreadable` for a file that is broken.
"""
