// The text of a file that the user brings: what is no text is said, and never shown as other letters.

export async function textOf(file, most) {
  if (file.size > most) throw new Error(`${file.name} holds more than ${most / 1e6} MB: bring a part of it, or use rosenblatt fit.`);
  const bytes = new Uint8Array(await file.arrayBuffer()), [first, second] = bytes;
  const marked = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(marked, { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is not text in UTF-8: save it as a CSV file in UTF-8, and bring it again.`);
  }
}
