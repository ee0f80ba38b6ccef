/** Every action also works without scripts. */

const root = document.documentElement;
root.classList.add('scripted');

const rowLinks = () =>
  [...document.querySelectorAll('.row-link, summary.change')].filter((row) => row.checkVisibility());

const isTyping = (target) => target.matches('input, textarea, select, [contenteditable]');

function goBy(step) {
  const links = rowLinks();
  const at = links.indexOf(document.activeElement);
  const next = links[at === -1 && step < 0 ? links.length - 1 : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function goToSearch() {
  const field = document.getElementById('search-field');
  field?.select();
  field?.focus();
}

const KEYS = {
  '/': goToSearch,
  j: () => goBy(1),
  k: () => goBy(-1),
  '?': () => document.getElementById('shortcuts')?.showModal(),
};

document.addEventListener('keydown', (event) => {
  const question = document.querySelector('details.confirmation[open]');
  if (event.key === 'Escape' && question) {
    question.open = false;
    question.querySelector('summary').focus();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
  if (document.querySelector('dialog[open]') || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});

document.addEventListener('click', async (event) => {
  if (event.target.closest('[data-print]')) print();
  if (event.target.closest('[data-shortcuts]')) KEYS['?']();
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add('copied');
  setTimeout(() => button.classList.remove('copied'), 1_500);
});

/** All rows of the artist list share one menu. */
document.addEventListener('click', ({ target }) => {
  const button = target.closest('[popovertarget="menu"]');
  if (!button) return;
  const menu = document.getElementById('menu');
  const row = button.closest('tr');
  const ids = { artist: row.querySelector('[name="artist"]').value, platformId: button.value };
  menu.querySelector('[data-name]').textContent = row.querySelector('.row-link').textContent;
  menu.querySelector('[name="artist"]').value = ids.artist;
  for (const link of menu.querySelectorAll('[data-end]')) {
    link.dataset.start ??= link.href;
    link.href = link.dataset.start + ids[link.dataset.end];
  }
});

/** New members get the browser's time zone. */
for (const field of document.querySelectorAll('input[type="hidden"][name="zone"]')) {
  field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Sends each form only once, even after a double click. */
document.addEventListener('submit', (event) => {
  const { target } = event;
  if (target.method !== 'post') return;
  if (target.dataset.sent) event.preventDefault();
  target.dataset.sent = 'true';
});
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('[data-sent]')) delete form.dataset.sent;
});

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Returns the same text as `relativeTime` in views/instant.tsx. */
function relativeTime(seconds) {
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) < length) continue;
    return new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' }).format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? 'in less than a minute' : 'just now';
}

const MAX_RELATIVE_SECONDS = 30 * 86_400;

function refresh(part) {
  for (const button of part.querySelectorAll(':is([data-print], [data-shortcuts])[hidden]')) button.hidden = false;
  for (const button of part.querySelectorAll('[data-copy][hidden]')) if (navigator.clipboard) button.hidden = false;
  for (const time of part.querySelectorAll('time[data-relative]')) {
    const seconds = Math.round((Date.parse(time.dateTime) - Date.now()) / 1_000);
    if (Math.abs(seconds) < MAX_RELATIVE_SECONDS) time.textContent = relativeTime(seconds);
  }
}

function countDown() {
  for (const time of document.querySelectorAll('time[data-countdown]')) {
    const seconds = Math.round((Date.parse(time.dateTime) - Date.now()) / 1_000);
    if (seconds < 0 || seconds >= 3_600) continue;
    const minutes = Math.floor(seconds / 60);
    time.textContent = `in ${minutes > 0 ? `${minutes} min ` : ''}${seconds % 60} s`;
  }
}

function refreshAll() {
  refresh(document);
  countDown();
}

refreshAll();
setInterval(refreshAll, 30_000);
setInterval(countDown, 1_000);

/** A hidden page refreshes only when it becomes visible. */
document.addEventListener('htmx:before:request', (event) => {
  if (document.hidden && event.detail.ctx.sourceEvent.type === 'every') event.preventDefault();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  for (const part of document.querySelectorAll('[data-hx-trigger^="every"]')) htmx.trigger(part, 'every');
});

// Updates the times and buttons in a part that htmx has replaced.
document.addEventListener('htmx:after:swap', refreshAll);

/** Shows shortened texts in full on hover. */
document.addEventListener('mouseover', ({ target }) => {
  const text = target.closest('.title, td .row-link');
  if (text) text.title = text.textContent;
});

/** Shows the applied filters in the page's URL. */
document.addEventListener('htmx:after:swap', ({ detail }) => {
  const form = detail.ctx.sourceElement;
  if (!form.matches('.filters')) return;
  const set = [...new FormData(form)].filter(([, value]) => value !== '');
  history.replaceState(null, '', `${form.getAttribute('action')}?${new URLSearchParams(set)}`);
});
