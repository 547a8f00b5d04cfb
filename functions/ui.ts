import { app } from '@azure/functions';
import { composePage, isCurrent } from '../shared/operate/page.ts';

const NOT_MODIFIED = 304;
const page = composePage();

app.http('ui', {
  route: 'ui',
  methods: ['GET'],
  authLevel: 'anonymous',
  handler: async (request) => {
    const { headers, html, etag } = page;
    if (isCurrent(request.headers.get('if-none-match'), etag)) return { status: NOT_MODIFIED, headers };
    return { headers, body: html };
  },
});
