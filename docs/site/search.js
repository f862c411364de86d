// The search of the site: every word must occur in a heading or below it;
// headings count more. `pages` comes from index.js.
const field = document.getElementById("find");
const found = document.getElementById("found");
const article = document.querySelector("article");

function results(words) {
  const list = [];
  for (const page of pages) {
    const title = `${page.title} ${page.page}`.toLowerCase();
    const text = page.words.toLowerCase();
    let score = 0;
    const all = words.every((word) => {
      const here = (title.includes(word) ? 10 : 0) + (text.includes(word) ? 1 : 0);
      score += here;
      return here > 0;
    });
    if (all) list.push({ page, score });
  }
  return list.sort((a, b) => b.score - a.score).slice(0, 30);
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  return text.slice(Math.max(0, at - 60), at + 120);
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  article.hidden = words.length > 0;
  found.replaceChildren();
  if (words.length === 0) return;
  const list = results(words);
  const head = document.createElement("h1");
  head.textContent = list.length === 0 ? "Nothing was found" : `${list.length} found`;
  const items = document.createElement("ol");
  for (const { page } of list) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = document.body.dataset.root + page.file;
    link.textContent = page.title === page.page ? page.title : `${page.page}: ${page.title}`;
    link.addEventListener("click", () => { field.value = ""; show(); });
    const text = document.createElement("p");
    text.textContent = excerpt(page.words, words[0]);
    item.append(link, text);
    items.append(item);
  }
  found.append(head, items);
}

field.addEventListener("input", show);
