#!/usr/bin/env python3
"""web.py - a host for tests of what reaches one: prints its port, then serves.

    web.py [--bind ADDRESS] [--log FILE] [FOLDER]

GET and HEAD of files below FOLDER, and of these: /hello, /endless (bytes without an
end), /never (no answer). FILE gets a line for each request and for the end of
each endless one: "GET PATH Host: NAME" and "left PATH".
"""
import argparse
import http.server
import os
import socketserver
import sys
import time

options = argparse.ArgumentParser()
options.add_argument("--bind", default="127.0.0.1")
options.add_argument("--log", default=os.devnull)
options.add_argument("folder", nargs="?", default=".")
options = options.parse_args()
log = open(options.log, "a", buffering=1)


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args):
        super().__init__(*args, directory=options.folder)

    def log_message(self, *args):
        pass

    def do_GET(self):
        log.write("GET %s Host: %s\n" % (self.path, self.headers["Host"]))
        if self.path == "/hello":
            self.send_response(200)
            self.send_header("Content-Length", "6")
            self.end_headers()
            self.wfile.write(b"hello\n")
        elif self.path == "/endless":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(65536))
            except OSError:
                log.write("left %s\n" % self.path)
        elif self.path == "/never":
            time.sleep(600)
        else:
            super().do_GET()


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 512


server = Server((options.bind, 0), Handler)
print(server.server_address[1])
sys.stdout.flush()
server.serve_forever()
