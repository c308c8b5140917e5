#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What kernelshark's library reads of a trace.dat: each entry's event and its text."""
import ctypes
import sys

shark = ctypes.CDLL("libkshark.so.2")
shark.kshark_load_entries.restype = ctypes.c_ssize_t
for name in ("kshark_get_event_name", "kshark_get_info"):
    getattr(shark, name).restype = ctypes.c_char_p
    getattr(shark, name).argtypes = [ctypes.c_void_p]

context = ctypes.c_void_p()
rows = ctypes.POINTER(ctypes.c_void_p)()
if not shark.kshark_instance(ctypes.byref(context)):
    sys.exit("no context")
stream = shark.kshark_open(context, sys.argv[1].encode())
if stream < 0:
    sys.exit(f"{sys.argv[1]}: cannot be opened")
number = shark.kshark_load_entries(context, stream, ctypes.byref(rows))
if number <= 0:
    sys.exit(f"{sys.argv[1]}: no entries")
for row in rows[:number]:
    event, info = shark.kshark_get_event_name(row), shark.kshark_get_info(row)
    print(event.decode(), info.decode(errors="replace"))
