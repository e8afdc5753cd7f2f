/** web.search: what a search service finds on the web. WEB_SEARCH_URL answers as SearXNG does. */
import { answer, beginning } from './call.mjs';
import { textFrom } from './web.mjs';

await answer(async ({ query, max = 10 }) => {
  const { WEB_SEARCH_URL: service } = process.env;
  if (!service) throw new Error('WEB_SEARCH_URL is not set: there is no search service here');
  const url = new URL(service);
  url.searchParams.set('q', query);
  url.searchParams.set('format', 'json');
  const { results = [] } = JSON.parse(await textFrom(url));
  return {
    results: results.slice(0, max).map(({ title, url: address, content = '' }) => {
      return { title, url: address, excerpt: beginning(content, 1_000).text };
    }),
  };
});
