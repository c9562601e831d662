"""A model server to begin with: a TorchScript model at /app/model.pt, lists of numbers in and out.

POST /infer {"inputs": [[…]]} -> {"outputs": [[…]]}; GET /health is 200 once the model is on the NPU.
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import torch
import torch_npu  # noqa: F401 (makes the device npu known to torch)

MODEL = os.environ.get("MODEL", "/app/model.pt")
DEVICE = os.environ.get("DEVICE", "npu:0")


class Handler(BaseHTTPRequestHandler):
    """One request."""

    model = None

    def do_GET(self):
        """The health."""
        self.answer(200 if self.path == "/health" else 404, {})

    def do_POST(self):
        """One inference."""
        try:
            asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            with torch.inference_mode():
                outputs = self.model(torch.tensor(asked["inputs"], device=DEVICE)).cpu().tolist()
        except (KeyError, ValueError, TypeError, RuntimeError) as error:
            self.answer(400, {"error": str(error)})
        else:
            self.answer(200, {"outputs": outputs})

    def answer(self, code, document):
        """Send it."""
        data = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main():
    """Load the model, then serve."""
    Handler.model = torch.jit.load(MODEL, map_location=DEVICE).eval()
    ThreadingHTTPServer(("", int(os.environ.get("PORT", "8000"))), Handler).serve_forever()


if __name__ == "__main__":
    main()
