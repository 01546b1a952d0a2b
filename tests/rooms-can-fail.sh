#!/bin/sh
# rooms-can-fail.sh - prove that rooms.sh refuses what it should.
cd "${srcdir:-.}" && exec sh tests/rooms.sh --test
