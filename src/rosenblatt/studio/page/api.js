// Asks the server, which asks the engine. A question asked again takes the place of the one before it.

const asking = new Map();

export async function ask(question, request = {}, { alone = true } = {}) {
  const control = new AbortController();
  if (alone) {
    asking.get(question)?.abort();
    asking.set(question, control);
  }
  const response = await fetch(`api/${question}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
    signal: control.signal,
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// Whether this is only a question that a newer one has taken the place of.
export const overtaken = (error) => error.name === "AbortError";

export function whatHappened(error) {
  return error instanceof TypeError ? "The studio does not answer: is rosenblatt studio still running?" : error.message;
}
