import { expect, test } from 'vitest';
import { type AttemptResult, type ErrorClass, errorClass, faultText, keptAnswer } from '#shared/outgoing/faults.ts';

const failed = (detail: string, status: number | null = null): AttemptResult => ({ status, outcome: 'failed', detail });
const withCode = (code: string) => failed(faultText(Object.assign(new Error('m'), { code })));

test.each<[ErrorClass | null, AttemptResult]>([
  [null, { status: 200, outcome: 'delivered', detail: 'The target answered 200' }],
  ['address', { status: null, outcome: 'refused', detail: 'The address of the target is not https' }],
  ['status', failed('The target answered 500: no', 500)],
  ['status', { status: 410, outcome: 'gone', detail: 'The target answered 410 and is disabled' }],
  ['timeout', failed('No answer within 10 seconds')],
  ['mail', failed('The mail was not handed over (Error)')],
  ['given_up', failed('Given up without a request: the target took nothing for a day')],
  ['name', withCode('ENOTFOUND')],
  ['refused', withCode('ECONNREFUSED')],
  ['unreachable', withCode('EHOSTUNREACH')],
  ['closed', withCode('ECONNRESET')],
  ['tls', withCode('CERT_HAS_EXPIRED')],
  ['tls', withCode('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['tls', withCode('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['other', withCode('EMFILE')],
])('the error class of an attempt is %s', (expected, attempt) => {
  expect(errorClass(attempt)).toBe(expected);
});

test.each([
  ['The target answered 500: <b>no</b>', '<b>no</b>'],
  ['The target answered 410 and is disabled: gone: really', 'gone: really'],
  ['The target answered 200', null],
  ['The target answered 301; redirects are not followed', null],
  ['No answer within 10 seconds', null],
])('the answer to %s is %s', (detail, answer) => {
  expect(keptAnswer({ detail })).toBe(answer);
});
