import { byId, setText } from "./dom.js";
import { Screen } from "./screen.js";
import { Server } from "./server.js";

const server = new Server();
try {
  await new Screen(server, await server.me()).start();
} catch (error) {
  setText(byId("nothing-text"), error.status === 401 ? "You are signed out: open your link again." : `This does not work now: ${error.message}`);
  throw error;
}
