// Server: the routes the page asks. A token, where one is needed, is kept until the tab is closed.

const tokenKept = () => sessionStorage.getItem("lamina-token");

const tokenHeaders = () => (tokenKept() ? { Authorization: `Bearer ${tokenKept()}` } : {});

/** What a route answers; an error has the server's words. */
async function ask(route, parameters = {}, body = undefined) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  const headers = { Accept: "application/json", ...tokenHeaders() };
  // JSON is YAML, too, which is what the server reads.
  if (body !== undefined) headers["Content-Type"] = "application/x-yaml";
  const response = await fetch(`explore/${route}${query ? `?${query}` : ""}`, { method: body === undefined ? "GET" : "POST", headers, body: body && JSON.stringify(body) });
  if (response.status === 401) byId("token-form").hidden = false;
  const answer = await response.json().catch(() => ({ message: response.statusText }));
  if (!response.ok) throw new Error(answer.message ?? `The server answered ${response.status}.`);
  return answer;
}

/** A place as the page writes it: short as `file:line`, full with column and part. */
function placeOf(raw) {
  if (!raw) return null;
  const short = `${raw.source}:${raw.line}`;
  return { ...raw, short, full: `${short}:${raw.column}${raw.part ? ` (${raw.part})` : ""}`, url: null };
}
