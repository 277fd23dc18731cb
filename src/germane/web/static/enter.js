// A link's secret is in the fragment, which no server sees; it is exchanged for a cookie when somebody clicks.

import { byId, setText } from "./dom.js";
import { request } from "./server.js";

const secret = location.hash.slice(1);
byId("by-link").hidden = !secret;
byId("by-password").hidden = Boolean(secret);
byId("script-needed").hidden = true;

let busy = false; // a link may work once only, so a double click must not use it twice

async function start(body) {
  if (busy) return;
  busy = true;
  setText(byId("problem"), "");
  try {
    await request("POST", "api/session", body);
    history.replaceState(null, "", location.pathname);
    location.replace("./");
  } catch (error) {
    setText(byId("problem"), error.message);
    byId("by-password").hidden = false;
    busy = false;
  }
}

byId("by-link").addEventListener("submit", (event) => {
  event.preventDefault();
  start({ secret });
});
byId("by-password").addEventListener("submit", (event) => {
  event.preventDefault();
  start({ name: byId("name").value, password: byId("password").value });
});
if (secret) byId("come-in").focus();
addEventListener("hashchange", () => location.reload());
