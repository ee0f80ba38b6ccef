const BEFORE_QUERY_AND_FRAGMENT = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s;

/**
 * Parts an address into what its parameter `options` says and the address without it. The driver lets what an address says
 * take the place of what it is given beside it, so `options` left in there would undo ours.
 *
 * All else stays as it is written, for the driver to read.
 */
export function takeOptions(url: string): { readonly url: string; readonly options: string } {
  const [, address = url, query = '', fragment = ''] = BEFORE_QUERY_AND_FRAGMENT.exec(url) ?? [];
  const parameters = query.split('&').map((text) => ({ text, options: new URLSearchParams(text).get('options') }));
  const others = parameters.filter(({ options }) => options === null).map(({ text }) => text);
  return {
    url: address + (others.length > 0 && query !== '' ? `?${others.join('&')}` : '') + fragment,
    // Of several the driver takes the last one.
    options: parameters.findLast(({ options }) => options !== null)?.options ?? '',
  };
}
