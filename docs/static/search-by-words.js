// Sphinx looks for pages with every word of a question, and for index entries and headings with its exact letters.
// Here entries and headings answer that share most words with it, in any order; and where few pages have every word,
// those with the rarest of its words follow.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;  // any page but the search itself
  const stemmer = new Stemmer();
  const says = word => !stopwords.has(word) && !/^\d+$/.test(word);  // as Sphinx reads a question
  const stems = text => new Set(splitQuery(text.toLowerCase()).filter(says).map(word => stemmer.stemWord(word)));
  const pagesWithEvery = Search.performTermsSearch;

  function likeness(asked, text) {  // shared words among all of both
    const words = stems(text), shared = [...words].filter(word => asked.has(word)).length;
    return shared / (asked.size + words.size - shared || 1);
  }

  function named(asked) {
    const { alltitles, indexentries, docnames, filenames, titles } = Search._index, best = new Map();
    for (const [names, most, kind] of [[indexentries, 90, "index"], [alltitles, 45, "title"]])
      for (const [name, places] of Object.entries(names)) {
        const alike = likeness(asked, name);
        if (alike < 0.5) continue;
        const score = alike > 0.6 ? most * alike : 4.5 * alike;  // a half of the words is less than a page with them all
        for (const [page, anchor] of places)
          if (score > (best.get(page)?.[4] ?? 0))
            best.set(page, [docnames[page], titles[page], anchor ? `#${anchor}` : "", null, score, filenames[page], kind]);
      }
    return [...best.values()];
  }

  function withRareWords(asked, excluded) {
    const pages = new Map();
    for (const word of asked) {
      const hits = pagesWithEvery(new Set([word]), excluded);
      const weight = Math.log((1 + Search._index.docnames.length) / (1 + hits.length));
      for (const hit of hits) {
        const page = pages.get(hit[0]) ?? pages.set(hit[0], { hit, weight: 0 }).get(hit[0]);
        page.weight += weight;
      }
    }
    const most = Math.max(...[...pages.values()].map(page => page.weight));
    const near = [...pages.values()].filter(page => page.weight > most / 2);
    return near.map(({ hit, weight }) => [...hit.slice(0, 4), 4 * weight / most, ...hit.slice(5)]);  // behind every full match
  }

  Search.performTermsSearch = (asked, excluded) => {
    const full = pagesWithEvery(asked, excluded), results = named(asked);
    const more = full.length < 3 && asked.size > 1 ? withRareWords(asked, excluded) : [];
    for (const result of [...full, ...more]) {
      const known = results.find(other => other[0] === result[0]);
      if (known === undefined) results.push(result);
      else known[4] = Math.max(known[4], result[4]);
    }
    return results;
  };
});
