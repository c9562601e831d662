// The page of one report. Texts go in through textContent alone: a line of evidence is never read as HTML.
'use strict';
(() => {
  const ORDER = ['fail', 'unknown', 'warn', 'waived', 'pass', 'skip'];
  const FULL = new Set(['fail', 'warn', 'waived']);
  const PAGE = 60;
  const VARIANTS = 3;
  const NAMES = 200;
  const FEW = 40;  // hosts of which the grid shows the names
  const head = JSON.parse(document.getElementById('head').textContent);
  const words = head.words;
  const { hosts, kinds, findings } = load();
  const state = { status: new Set(), area: '', host: -1, query: '' };
  const usual = ORDER.slice(0, 4);

  // What was embedded: a line a host, each with the findings that no host before it had.
  function load() {
    const data = { hosts: [], kinds: [], findings: [] };
    for (const line of document.getElementById('hosts').textContent.split('\n')) {
      if (!line) continue;
      const host = JSON.parse(line);
      data.kinds.push(...host.kinds);
      data.findings.push(...host.new);
      data.hosts.push(host);
    }
    return data;
  }

  function make(tag, kind, text) {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function button(kind, text, act) {
    const node = make('button', kind, text);
    node.type = 'button';
    node.addEventListener('click', act);
    return node;
  }

  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
  const at = (id) => document.getElementById(id);
  const area = (id) => id.split('.', 1)[0];
  const rank = (id) => { const place = head.areas.indexOf(area(id)); return place < 0 ? head.areas.length : place; };

  // ---- what is shown ---------------------------------------------------------------------------------------

  const texts = [];
  function textOf(number) {
    if (texts[number] === undefined) {
      const finding = findings[number], kind = kinds[finding.kind];
      const proofs = finding.evidence.map((proof) => proof.join(' '));
      const fix = kind.fix ? [kind.fix.summary, ...kind.fix.commands] : [];
      texts[number] = [kind.id, kind.title, finding.actual, kind.expected, finding.waiver || '', ...proofs, ...fix]
        .join('\n').toLowerCase();
    }
    return texts[number];
  }

  function wants(number, whole) {
    const kind = kinds[findings[number].kind];
    if (!state.status.has(kind.status) || (state.area && area(kind.id) !== state.area)) return false;
    return whole || textOf(number).includes(state.query);
  }

  // Cards (a check and a status) with their variants (what was found) and the hosts of each.
  function cards() {
    const found = new Map();
    hosts.forEach((host, place) => {
      host.shown = 0;
      if (state.host >= 0 && state.host !== place) return;
      const whole = !state.query || host.name.toLowerCase().includes(state.query);
      for (const number of host.findings) {
        if (!wants(number, whole)) continue;
        host.shown += 1;
        const kind = kinds[findings[number].kind];
        const key = kind.status + ' ' + kind.id;
        if (!found.has(key)) found.set(key, { kind, variants: new Map(), hosts: 0 });
        const card = found.get(key);
        card.hosts += 1;
        if (!card.variants.has(number)) card.variants.set(number, []);
        card.variants.get(number).push(place);
      }
    });
    return [...found.values()].sort((a, b) => ORDER.indexOf(a.kind.status) - ORDER.indexOf(b.kind.status)
      || b.hosts - a.hosts || rank(a.kind.id) - rank(b.kind.id) || (a.kind.id < b.kind.id ? -1 : 1));
  }

  function show() {
    const all = cards();
    const list = at('list');
    list.replaceChildren();
    for (const status of ORDER) {
      const group = all.filter((card) => card.kind.status === status);
      if (group.length) list.append(heading(status, group), ...paged(group, cardNode, PAGE));
    }
    if (!all.length) list.append(make('p', 'nothing', words.nothing));
    const number = all.reduce((sum, card) => sum + card.hosts, 0);
    at('shown').textContent = fill(words.shown, { count: number });
    mark();
    remember();
  }

  function heading(status, group) {
    const node = make('h2', status, words.statuses[status] + ' ');
    const number = group.reduce((sum, card) => sum + card.hosts, 0);
    node.append(make('span', '', group.length === number ? String(number)
      : fill(words.ofChecks, { count: number, checks: group.length })));
    return node;
  }

  // The first nodes of many, and a button that shows the next ones.
  function paged(items, node, size) {
    const first = items.slice(0, size).map(node);
    if (items.length <= size) return first;
    const rest = items.slice(size);
    const more = button('quiet-button more', fill(words.more, { count: rest.length }), () => {
      const next = paged(rest, node, size * 4);
      more.replaceWith(...next);
      const target = next[0].querySelector('summary, button');
      if (target) target.focus();
    });
    return [...first, more];
  }

  function cardNode(card) {
    const { kind } = card;
    const node = make('details', 'card ' + kind.status);
    const variants = [...card.variants].sort((a, b) => b[1].length - a[1].length);
    node.open = FULL.has(kind.status) && (hosts.length < 3 || state.host >= 0 || variants.length <= VARIANTS);
    const summary = make('summary');
    summary.append(make('span', 'title', kind.title), make('span', 'id', kind.id));
    if (hosts.length > 1) summary.append(make('span', 'many', where(card, variants)));
    summary.append(make('span', 'brief', findings[variants[0][0]].actual));
    node.append(summary);
    const open = () => { if (node.open && node.children.length === 1) node.append(...paged(variants, variantNode, VARIANTS)); };
    node.addEventListener('toggle', open);
    open();
    return node;
  }

  function where(card, variants) {
    const place = variants[0][1][0];
    return card.hosts === 1 ? hosts[place].name : fill(words.hosts, { count: card.hosts });
  }

  function variantNode([number, places]) {
    const finding = findings[number], kind = kinds[finding.kind];
    const node = make('div', 'variant');
    if (finding.actual) node.append(make('p', 'found', finding.actual));
    if (kind.expected) node.append(make('p', 'expected', fill(words.expected, { expected: kind.expected })));
    if (finding.waiver) node.append(make('p', 'waiver', fill(words.waived, { reason: finding.waiver })));
    if (finding.evidence.length) node.append(proofNode(finding));
    if (kind.fix) node.append(...fixNodes(kind));
    if (hosts.length > 1 && state.host < 0) node.append(places.length > 1 ? hostsNode(places) : nameNode(places[0]));
    if (kind.references.length) node.append(make('p', 'sources', fill(words.source, { source: kind.references.join(', ') })));
    return node;
  }

  function proofNode(finding) {
    const box = make('div', 'proof');
    const lines = finding.evidence.map(([source, text]) => {
      const line = make('div');
      line.append(make('code', 'from', source + ': '), make('code', '', text));
      return line;
    });
    box.append(lines[0]);
    const left = lines.length - 1 + (finding.cut || 0);
    if (left) {
      const rest = make('details');
      rest.append(make('summary', '', fill(words.lines, { count: left })), ...lines.slice(1));
      if (finding.cut) rest.append(make('div', 'from', fill(words.cut, { count: finding.cut })));
      box.append(rest);
    }
    return box;
  }

  function fixNodes(kind) {
    const told = make('p', '', '→ ' + kind.fix.summary + ' ');
    told.append(make('span', 'action', '[' + kind.action + ']'));
    const nodes = [told];
    if (kind.fix.commands.length) nodes.push(copyable(kind.fix.commands.join('\n')));
    for (const edit of kind.fix.edits || []) {
      const lines = [...edit.before.split('\n').map((line) => '-' + line), ...edit.after.split('\n').map((line) => '+' + line)];
      nodes.push(copyable(edit.after, edit.path + ':' + edit.line + '\n' + lines.join('\n')));
    }
    return nodes;
  }

  function copyable(text, seen) {
    const box = make('div', 'fix');
    const block = make('pre');
    block.append(make('code', '', seen === undefined ? text : seen));
    const press = button('quiet-button copy', words.copy, async () => {
      press.textContent = await copied(text) ? words.copied : words.notCopied;
      setTimeout(() => { press.textContent = words.copy; }, 1500);
    });
    box.append(block, press);
    return box;
  }

  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (refused) {
      const field = make('textarea');
      field.value = text;
      document.body.append(field);
      field.select();
      const done = document.execCommand('copy');
      field.remove();
      return done;
    }
  }

  function hostsNode(places) {
    const box = make('details', 'hosts');
    const names = make('div', 'names');
    box.open = places.length <= 12;
    box.append(make('summary', '', fill(words.hosts, { count: places.length })), names);
    const open = () => { if (box.open && !names.children.length) names.append(...paged(places, nameNode, NAMES)); };
    box.addEventListener('toggle', open);
    open();
    return box;
  }

  function nameNode(place) {
    return button('name', hosts[place].name, () => choose(place));
  }

  // ---- the fleet -------------------------------------------------------------------------------------------

  const cells = [];
  function grid() {
    const places = hosts.map((host, place) => place).filter((place) => !hosts[place].fleet);
    if (places.length < 2) return;
    const few = places.length <= FEW;
    at('fleet').hidden = false;
    at('grid').classList.toggle('few', few);
    places.sort((a, b) => ORDER.indexOf(hosts[a].status) - ORDER.indexOf(hosts[b].status)
      || hosts[a].name.localeCompare(hosts[b].name, undefined, { numeric: true }));
    for (const place of places) {
      const host = hosts[place];
      const letter = ORDER.indexOf(host.status) < 4 ? host.status[0].toUpperCase() : '';
      const cell = button('cell ' + host.status, few ? host.name : letter, () => choose(state.host === place ? -1 : place));
      cell.setAttribute('aria-label', host.name + ': ' + words.statuses[host.status]);
      cell.dataset.place = place;
      cell.tabIndex = cells.length ? -1 : 0;
      cell.addEventListener('focus', () => tell(host));
      cell.addEventListener('pointerenter', () => tell(host));
      cells.push(cell);
    }
    at('grid').append(...cells);
    at('grid').addEventListener('keydown', move);
  }

  function move(event) {
    const here = cells.indexOf(document.activeElement);
    if (here < 0) return;
    const row = Math.max(1, cells.findIndex((cell) => cell.offsetTop > cells[0].offsetTop));
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row, Home: -here, End: cells.length - 1 - here };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = cells[Math.min(cells.length - 1, Math.max(0, here + steps[event.key]))];
    cells[here].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  function tell(host) {
    const counts = {};
    for (const number of host.findings) {
      const { status } = kinds[findings[number].kind];
      counts[status] = (counts[status] || 0) + 1;
    }
    const told = ORDER.filter((status) => counts[status]).map((status) => counts[status] + ' ' + words.statuses[status]);
    at('readout').textContent = [host.name, told.join(', '), host.error || ''].filter(Boolean).join(' · ');
  }

  function mark() {
    for (const cell of cells) {
      const place = Number(cell.dataset.place);
      cell.setAttribute('aria-pressed', String(state.host === place));
      cell.classList.toggle('off', state.host < 0 && (state.query !== '' || state.area !== '') && !hosts[place].shown);
    }
  }

  function unread() {
    const places = hosts.map((host, place) => place).filter((place) => hosts[place].error);
    if (!places.length || hosts.length === 1) return;
    const box = make('details', 'note error');
    box.append(make('summary', '', fill(words.unread, { count: places.length })));
    box.append(...paged(places, (place) => make('div', '', hosts[place].name + ': ' + hosts[place].error), NAMES));
    at('unread').append(box);
  }

  function choose(place) {
    state.host = place;
    at('host').hidden = place < 0;
    at('about').replaceChildren();
    if (place >= 0) {
      const host = hosts[place];
      at('host').textContent = host.name + ' ×';
      at('about').append(...facts(host));
      tell(host);
    }
    show();
  }

  function facts(host) {
    const parts = [[host.source, host.path].filter(Boolean).join(' '), ...Object.entries(host.about).map((pair) => pair.join(' '))];
    const nodes = host.fleet ? [] : [make('p', 'facts', parts.filter(Boolean).join(' · '))];
    if (host.error) nodes.push(make('p', 'note error', host.error));
    return nodes;
  }

  // ---- what the person chooses -----------------------------------------------------------------------------

  function press() {
    for (const node of document.querySelectorAll('#counts button')) {
      node.setAttribute('aria-pressed', String(state.status.has(node.dataset.status)));
    }
  }

  function toggle(status) {
    if (!state.status.delete(status)) state.status.add(status);
    press();
    show();
  }

  function remember() {
    const kept = new URLSearchParams();
    const chosen = ORDER.filter((status) => state.status.has(status));
    if (chosen.join() !== usual.join()) kept.set('status', chosen.join());
    if (state.area) kept.set('area', state.area);
    if (state.host >= 0) kept.set('host', hosts[state.host].name);
    if (state.query) kept.set('q', state.query);
    const text = kept.toString();
    try {
      history.replaceState(null, '', text ? '#' + text : location.pathname + location.search);
    } catch (refused) { /* some browsers keep no history of files */ }
  }

  function recall() {
    const kept = new URLSearchParams(location.hash.slice(1));
    state.status = new Set(kept.has('status') ? kept.get('status').split(',') : usual);
    state.area = kept.get('area') || '';
    state.query = (kept.get('q') || '').toLowerCase();
    at('query').value = state.query;
    at('area').value = state.area;
    press();
    choose(kept.has('host') ? hosts.findIndex((host) => host.name === kept.get('host')) : -1);
  }

  function areas() {
    const there = new Set(kinds.map((kind) => area(kind.id)));
    const known = [...there].sort((a, b) => rank(a) - rank(b));
    for (const name of known) {
      const option = make('option', '', name);
      option.value = name;
      at('area').append(option);
    }
  }

  function theme() {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const root = document.documentElement;
    try { root.dataset.theme = localStorage.getItem('npudoctor-theme') || ''; } catch (refused) { /* not kept */ }
    at('theme').addEventListener('click', () => {
      const now = root.dataset.theme || (dark.matches ? 'dark' : 'light');
      root.dataset.theme = now === 'dark' ? 'light' : 'dark';
      try { localStorage.setItem('npudoctor-theme', root.dataset.theme); } catch (refused) { /* not kept */ }
    });
  }

  function listen() {
    for (const node of document.querySelectorAll('#counts button')) {
      node.addEventListener('click', () => toggle(node.dataset.status));
    }
    let waiting;
    at('query').addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { state.query = at('query').value.trim().toLowerCase(); show(); }, 100);
    });
    at('area').addEventListener('change', () => { state.area = at('area').value; show(); });
    at('host').addEventListener('click', () => choose(-1));
    document.addEventListener('keydown', (event) => {
      if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
        event.preventDefault();
        at('query').focus();
      } else if (event.key === 'Escape') {
        at('query').value = '';
        state.query = '';
        choose(-1);
      }
    });
    addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((node) => { node.open = true; }));
    addEventListener('hashchange', recall);
  }

  theme();
  areas();
  grid();
  unread();
  if (hosts.length === 1) at('single').append(...facts(hosts[0]));
  listen();
  at('app').hidden = false;
  recall();
})();
