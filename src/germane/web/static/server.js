// The server, as the judging screen sees it. The offline bundle has another one with the same functions.

export class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function request(method, path, body, { timeout = 20000 } = {}) {
  const options = { method, credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(timeout) };
  if (typeof body === "string") options.body = body;
  else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "Content-Type": "application/json" };
  }
  const response = await fetch(path, options);
  if (response.headers.get("Content-Type")?.startsWith("application/json")) {
    const answer = await response.json();
    if (!response.ok) throw new RequestError(response.status, answer.error ?? `status ${response.status}`);
    return answer;
  }
  if (!response.ok) throw new RequestError(response.status, `server error (status ${response.status})`);
  return response;
}

export class Server {
  constructor() {
    this.name = null;
  }

  async me() {
    const found = await request("GET", "api/me");
    this.name = found.name;
    return found;
  }

  work(wanted) {
    return request("POST", "api/work", wanted);
  }

  task(task) {
    return request("GET", `api/tasks/${encodeURIComponent(task)}`);
  }

  async history() {
    return (await request("GET", "api/history")).answers;
  }

  async send(answers) {
    return (await request("POST", "api/answers", { assessor: this.name, answers })).receipts;
  }
}
