// Elements: the only place where the page makes any. Texts become text nodes, never markup.

/** An element with attributes and children; children that are null or false are left out. */
function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for drawings. */
function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...present(children));
  return made;
}

const present = (children) => children.flat(2).filter((child) => child !== null && child !== undefined && child !== false);

/** Put other children into an element. */
const refill = (root, ...children) => root.replaceChildren(...present(children));

const byId = (id) => document.getElementById(id);

const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** The address of a line, from that of its file; only addresses on the web. */
const lineAddress = (address, line) => (/^https?:\/\//.test(address ?? "") ? address.replace("{line}", line) : null);

/** A place in a source, as a link where it has an address. */
function placeElement(place, named = place.full) {
  if (!place.url) return element("code", { class: "place" }, named);
  return element("a", { class: "place", href: place.url, target: "_blank", rel: "noopener noreferrer" }, element("code", {}, named));
}

/** The number of a layer in its colour. */
function badge(layer) {
  return element("span", { class: `badge ${layer.colour}`, title: layer.source || layer.name }, layer.badge);
}

/** The end of a name, which is what differs most; what is before the last slash is the group. */
const shortOf = (name) => name.slice(name.lastIndexOf("/") + 1) || name;

/** A path with one step more. */
const pathBelow = (path, step) => (path && !step.startsWith("[") ? `${path}.${step}` : path + step);

/** A button that puts a text onto the clipboard and says so. */
function copyButton(label, copied) {
  const button = element("button", { type: "button", class: "small" }, label);
  button.addEventListener("click", async () => {
    button.textContent = (await copy(copied)) ? "Copied" : "Not copied";
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

async function copy(copied) {
  try {
    await navigator.clipboard.writeText(copied);
    return true;
  } catch {
    const box = element("textarea", { class: "unseen", "aria-hidden": "true" });
    box.value = copied;
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    return done;
  }
}

/** What comes before the place of a cause that is no rule. */
const CAUSES = {
  set: "set at ",
  gone: "no longer set at ",
  steers: "decided at ",
  "steers-gone": "no longer decided at ",
  unusable: "cannot be used: ",
  "was-unusable": "could not be used: ",
};

/** A cause of a change, given the element of its place. */
function causeElement(how, rule, place) {
  const words = how.startsWith("rule") ? `${how === "rule" ? "" : "no longer "}the rule ${rule} at ` : CAUSES[how];
  return element("li", {}, words, place ?? "an unknown place");
}
