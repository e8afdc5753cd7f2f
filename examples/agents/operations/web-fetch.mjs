/** web.fetch: the text of a page, from the hosts that WEB_HOSTS lists. */
import { answer, beginning } from './call.mjs';
import { textFrom } from './web.mjs';

await answer(async ({ url: address }) => {
  const url = new URL(address);
  const hosts = (process.env.WEB_HOSTS ?? '').split(',').map((host) => host.trim());
  // A model chooses the address, so a page could make it send what it has read to any server.
  if (!hosts.includes(url.host)) throw new Error(`WEB_HOSTS does not list ${url.host}`);
  return { url: url.href, ...beginning(await textFrom(url), 100_000) };
});
