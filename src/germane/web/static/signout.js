import { request } from "./server.js";

const waiting = () => Object.keys(localStorage).filter((key) => /^germane:.*:answer:/.test(key)).length;

document.getElementById("sign-out")?.addEventListener("click", async () => {
  const count = waiting();
  if (count && !confirm(`${count} judgments are not sent yet. They stay in this browser until you come back. Sign out anyway?`)) return;
  await request("DELETE", "api/session");
  location.replace("enter");
});
