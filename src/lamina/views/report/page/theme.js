// Theme: light or dark, by the reader's setting or by the button.

const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", isDark());
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme());
byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
setTheme();
