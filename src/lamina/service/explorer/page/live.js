// Live: what the server reports as it happens. An EventSource cannot send a token, so the stream is read here.

const LIVE_WAITS = [1, 2, 5, 10, 30];

class LiveEvents {
  constructor({ onopen, onchange, onlost }) {
    Object.assign(this, { onopen, onchange, onlost, running: false });
  }

  /** Listen until the server does not let us; connects again whenever the connection ends. */
  async run() {
    if (this.running) return;
    this.running = true;
    for (let tries = 0; this.running; tries = Math.min(tries + 1, LIVE_WAITS.length - 1)) {
      try {
        if (await this.connect()) tries = 0;
      } catch {
        this.onlost("No connection to the server; trying again.");
      }
      if (this.running) await new Promise((done) => setTimeout(done, 1000 * LIVE_WAITS[tries]));
    }
  }

  /** One connection; whether there was any. */
  async connect() {
    const response = await fetch("explore/events", { headers: tokenHeaders() });
    if (response.status === 503) {
      this.onlost("No live updates: too many pages are open on this server.");
      return false;
    }
    if (!response.ok) {
      this.running = false;
      return false;
    }
    await this.onopen();
    await this.read(response.body.pipeThrough(new TextDecoderStream()).getReader());
    return true;
  }

  async read(reader) {
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (rest + part.value).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        const data = event.split("\n").find((line) => line.startsWith("data: "));
        if (data) await this.onchange(JSON.parse(data.slice(6)));
      }
    }
  }
}
