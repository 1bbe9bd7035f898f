// An expression whose value is a list of complaints about the page as it is shown now. PRINT says that
// it is shown on paper, where nothing can be scrolled.
(() => {
  const bad = [];
  const root = document.documentElement;
  const width = root.clientWidth;
  const name = e => {
    let s = e.tagName.toLowerCase() + (e.getAttribute("class") ? "." + e.getAttribute("class").trim().replaceAll(" ", ".") : "");
    const text = e.textContent.trim().replaceAll(/\s+/g, " ");
    return s + (text ? ` "${text.slice(0, 40)}"` : "");
  };
  const complain = (what, e) => { const s = what + ": " + name(e); if (!bad.includes(s)) bad.push(s); };
  if (root.scrollWidth > width) bad.push(`the page is ${root.scrollWidth} pixels wide in a window of ${width}`);

  const scrolls = e => ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
  const hides = e => ["hidden", "clip"].includes(getComputedStyle(e).overflowX);
  for (const e of document.querySelectorAll("body *")) {
    if (!e.checkVisibility() || e.closest("svg") && e.tagName != "svg") continue;
    const over = e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0;
    if (over && scrolls(e)) {
      if (PRINT) complain("cut on paper", e);
      if (e.tabIndex < 0) complain("cannot be scrolled with the keyboard", e);
      if (!e.getAttribute("aria-label")) complain("scrolls and has no name", e);
    } else if (over && e.tagName != "svg" && hides(e)) complain("hides its right side", e);
  }

  const channels = c => c.match(/[\d.]+/g).map(Number);
  const luminance = c => {
    const [r, g, b] = channels(c).slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = e => {
    for (let p = e; p; p = p.parentElement) {
      const c = getComputedStyle(p).backgroundColor, a = channels(c);
      if (a.length < 4 || a[3] == 1) return c;
    }
    return "rgb(255, 255, 255)";
  };
  const contrast = (a, b) => { const x = luminance(a), y = luminance(b); return (Math.max(x, y) + .05) / (Math.min(x, y) + .05); };

  const labels = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; node = walker.nextNode();) {
    const e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility() || ["TITLE", "STYLE"].includes(e.tagName.toUpperCase())) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const svg = e.closest("svg");
    const rects = svg ? [e.getBoundingClientRect()] : [...range.getClientRects()];
    const style = getComputedStyle(e);
    const scale = svg && e.getScreenCTM ? Math.abs(e.getScreenCTM().a || e.getScreenCTM().b) : 1;
    if (!PRINT && parseFloat(style.fontSize) * scale < 9.5) complain("letters of " + (parseFloat(style.fontSize) * scale).toFixed(1) + " pixels", e);
    const ratio = contrast(svg ? style.fill : style.color, behind(e));
    if (ratio < 4.5) complain("contrast of " + ratio.toFixed(1), e);
    let box = e.parentElement;
    while (box && !scrolls(box) && !hides(box)) box = box.parentElement;
    for (const r of rects) {
      if (!r.width) continue;
      if (svg) {
        const outer = svg.ownerSVGElement || svg, o = outer.getBoundingClientRect();
        const shown = getComputedStyle(outer).overflowX == "visible";
        if (shown ? !box && (r.left < 0 || r.right > width) : r.left < o.left - 1 || r.right > o.right + 1 || r.top < o.top - 1 || r.bottom > o.bottom + 2)
          complain("outside of its picture", e);
        for (const l of labels)
          if (l.outer == outer && Math.min(l.r.right, r.right) - Math.max(l.r.left, r.left) > 2 && Math.min(l.r.bottom, r.bottom) - Math.max(l.r.top, r.top) > 4)
            complain("lies over " + name(l.e), e);
        labels.push({ outer, r, e });
      }
      if (!box && (r.right > width + 1 || r.left < -1)) complain("cut", e);
      if (box && hides(box) && r.right > box.getBoundingClientRect().right + 1) complain("cut", e);
    }
  }
  for (const a of document.querySelectorAll("a[href^='#']"))
    if (!document.getElementById(decodeURIComponent(a.getAttribute("href").slice(1)))) complain("leads nowhere", a);
  for (const s of document.querySelectorAll("script, iframe, object, embed, link, img, form")) complain("does not belong on a page", s);
  if (!document.title.trim()) bad.push("no title");
  if (document.querySelectorAll("h1").length != 1) bad.push("not one main heading");
  return bad.slice(0, 40);
})()
