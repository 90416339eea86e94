// Embedded data: JSON, or, where there is much of it, JSON that `build_html.py` compressed.

async function embeddedData() {
  const held = byId("data").textContent;
  byId("data").remove(); // the text is not needed again
  if (held[0] === "{") return JSON.parse(held);
  if (!("DecompressionStream" in globalThis)) {
    document.body.prepend(element("p", { class: "nothing", role: "alert" }, "This browser is too old for a page of this size; one from 2023 or later can show it."));
    throw new Error("there is no DecompressionStream");
  }
  const packed = atob(held);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = packed.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}
