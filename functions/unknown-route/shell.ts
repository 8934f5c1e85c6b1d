import { runningRelease } from '#shared/base/release.ts';
import { findPage } from '#shared/console/pages.ts';
import { RELEASE_META, releaseLine } from '#shared/console/release-line.ts';
import { CONTENT_TYPES, PAGE_SOURCES, type Result } from '#shared/http/answers.ts';
import type { GatewayRequest } from '#shared/http/gateway-event.ts';
import { hasVersion, weakTag } from '#shared/http/negotiation/etag.ts';
import { shellText } from './shell-text.ts';

/** Powerful features of browsers. The console uses none of them. */
const UNUSED_FEATURES = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'hid', 'magnetometer', 'microphone'],
  ...['midi', 'payment', 'publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
];

/** The headers of the page (rules/web-console.md#security-headers). */
const HEADERS = {
  'content-security-policy': [...PAGE_SOURCES, "require-trusted-types-for 'script'", "trusted-types 'none'"].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
  'content-type': CONTENT_TYPES.html,
  vary: 'accept',
};

/** Paths of the API and of files. A program that asks for them must not get a page. */
const NOT_PAGES = ['/api', '/ready', '/-/assets'];

/** The page that was sent last, with its tag. */
let shell: { text: string; tag: string } | undefined;

/**
 * Returns the page that loads the console, if the request comes from the address line of a browser
 * (rules/web-console.md#shell): 200 for the address of a page, else 404.
 *
 * @returns undefined if the request is not for a page
 */
export function shellFor({ method, path, headers }: GatewayRequest): Result | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const isPage = NOT_PAGES.every((start) => path !== start && !path.startsWith(`${start}/`));
  if (!isRead || !isPage || !/\btext\/html\b/i.test(headers['accept'] ?? '')) return undefined;
  const { text, tag } = presentShell();
  const body = method === 'HEAD' ? '' : text;
  if (!findPage(path)) return { statusCode: 404, headers: HEADERS, body };
  // The page names the files of one release, so a browser asks for it again each time.
  const found = { ...HEADERS, etag: tag, 'cache-control': 'no-cache' };
  if (hasVersion(headers['if-none-match'], tag)) return { statusCode: 304, headers: found };
  return { statusCode: 200, headers: found, body };
}

/** The text can change: on one machine, a new build replaces the page while the stack runs. */
function presentShell(): { text: string; tag: string } {
  const text = withRelease(shellText());
  if (shell?.text !== text) shell = { text, tag: weakTag(text) };
  return shell;
}

/** Tells the page which release it is. The text was written before anybody knew the commit. */
const withRelease = (text: string): string =>
  text.replace('</head>', `<meta name="${RELEASE_META}" content="${releaseLine(runningRelease())}"></head>`);
