import { BASE_PATH } from './gateway-event.ts';

/** Where the reference of the API is read, below the base path. */
export const REFERENCE_PATH = '/doc';

const at = (file: string) => `${BASE_PATH}${REFERENCE_PATH}/${file}`;

/** The page itself: everything that it needs comes from this service, by addresses that hold with and without `/`. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${at('swagger-ui.css')}">
  </head>
  <body>
    <noscript>The same is told by <a href="${BASE_PATH}/openapi.json">the OpenAPI document</a>.</noscript>
    <div id="reference"></div>
    <script src="${at('swagger-ui-bundle.js')}"></script>
    <script src="${at('show.js')}"></script>
  </body>
</html>
`;

/**
 * The page may load, run and call what this service serves, and nothing else. Pictures are part of the style sheet, so
 * they come as data.
 */
export const REFERENCE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-cache',
};
