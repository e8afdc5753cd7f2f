/** What goes over the network: one request, no redirects, an end to its time and its size. */
const LONGEST = 2_000_000;

export async function textFrom(url) {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(15_000) });
  if (!response.ok) throw new Error(`${url.origin} answered ${response.status}`);
  const text = await response.text();
  if (text.length > LONGEST) throw new Error(`${url.href} has more than ${LONGEST} characters`);
  return text;
}
