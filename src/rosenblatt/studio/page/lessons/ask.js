// Asks the server, and shows an error where the answer would be.

import { ask, isReplaced } from "../server.js";

export async function askOrShowError(question, request, place) {
  try {
    return await ask(question, request);
  } catch (error) {
    if (!isReplaced(error)) place.textContent = error.message;
    return null;
  }
}
