import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { bytesOfText, textOfBytes } from '../values/bytes.ts';
import { parseJson } from '../values/plain.ts';
import { canonicalJson } from '../values/text.ts';
import { listOf, RegoObject, type Value } from '../values/value.ts';
import { marshalWithOptions } from './json-text.ts';
import { type Args, accepts, objectAt, payForText, refusing, stringAt, valueAt } from './operands.ts';
import { type Builtin, theme } from './registry.ts';
import { percentEncoded } from './uris.ts';

/** Functions that encode values as text and decode them. */
export const ENCODING: readonly Builtin[] = theme('encoding', [
  ['base64.encode', ['string'], 'string', (args, run) => encode(args, run, 'base64')],
  ['base64.decode', ['string'], 'string', (args, run) => decode(args, run, BASE64)],
  ['base64.is_valid', ['string'], 'boolean', (args) => BASE64.test(stringAt(args, 0))],
  ['base64url.encode', ['string'], 'string', (args, run) => urlPadded(encode(args, run, 'base64url'))],
  ['base64url.encode_no_pad', ['string'], 'string', (args, run) => encode(args, run, 'base64url')],
  ['base64url.decode', ['string'], 'string', (args, run) => decode(args, run, BASE64URL)],
  ['hex.encode', ['string'], 'string', (args, run) => encode(args, run, 'hex')],
  ['hex.decode', ['string'], 'string', decodeHex],
  ['urlquery.encode', ['string'], 'string', (args, run) => escapeQuery(encodable(args, run, 'query'))],
  ['urlquery.decode', ['string'], 'string', (args, run) => unescapeQuery(text(args, run))],
  ['urlquery.encode_object', ['object'], 'string', encodeQuery],
  ['urlquery.decode_object', ['string'], 'object', decodeQuery],
  ['json.marshal', ['any'], 'string', marshal],
  ['json.marshal_with_options', ['any', 'object'], 'string', marshalWithOptions],
  ['json.unmarshal', ['string'], 'any', unmarshal],
  ['json.is_valid', ['string'], 'boolean', accepts(unmarshal)],
]);

/** Base64 with padding, without line ends. */
export const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Base64 for addresses, with or without padding. */
export const BASE64URL = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}(?:==)?|[A-Za-z0-9_-]{3}=?)?$/;

function text(args: Args, run: Run): string {
  const found = stringAt(args, 0);
  run.budget.string(found.length * 3);
  return found;
}

/** Characters of an encoded text per byte. */
const PER_BYTE = { base64: 4 / 3, base64url: 4 / 3, hex: 2, query: 3 };

/** Reads a text, after the budget was charged for its encoded form. */
function encodable(args: Args, run: Run, encoding: keyof typeof PER_BYTE): string {
  const found = stringAt(args, 0);
  run.budget.string(Math.ceil(Buffer.byteLength(found) * PER_BYTE[encoding]));
  return found;
}

function encode(args: Args, run: Run, encoding: 'base64' | 'base64url' | 'hex'): string {
  return bytesOfText(encodable(args, run, encoding)).toString(encoding);
}

function urlPadded(encoded: string): string {
  return encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=');
}

function decode(args: Args, run: Run, form: RegExp): string {
  const encoded = text(args, run).replace(/[\r\n]/g, '');
  if (!form.test(encoded)) throw new BuiltinError('illegal base64 data');
  return textOfBytes(Buffer.from(encoded, 'base64'));
}

function decodeHex(args: Args, run: Run): Value {
  const encoded = text(args, run);
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(encoded)) throw new BuiltinError('invalid hexadecimal text');
  return textOfBytes(Buffer.from(encoded, 'hex'));
}

/** Escapes a text for the query of an address. */
export function escapeQuery(plain: string): string {
  return percentEncoded(plain).replaceAll('%20', '+');
}

function unescapeQuery(escaped: string): string {
  return refusing(URIError, 'invalid URL escape', () => decodeURIComponent(escaped.replaceAll('+', ' ')));
}

function encodeQuery(args: Args, run: Run): Value {
  const pairs: string[] = [];
  let length = 0;
  for (const [key, value] of objectAt(args, 0).pairs()) {
    for (const one of listOf(value) ?? [value]) {
      if (typeof key !== 'string' || typeof one !== 'string') throw new BuiltinError('keys and values must be strings');
      length += (Buffer.byteLength(key) + Buffer.byteLength(one)) * PER_BYTE.query + 2;
      run.budget.string(length);
      pairs.push(`${escapeQuery(key)}=${escapeQuery(one)}`);
    }
  }
  return pairs.join('&');
}

function decodeQuery(args: Args, run: Run): Value {
  const lists = new Map<string, Value[]>();
  for (const pair of text(args, run).split('&')) {
    if (pair === '') continue;
    if (pair.includes(';')) throw new BuiltinError('invalid semicolon separator in query');
    const at = pair.indexOf('=');
    const key = unescapeQuery(at === -1 ? pair : pair.slice(0, at));
    const list = lists.get(key) ?? [];
    list.push(at === -1 ? '' : unescapeQuery(pair.slice(at + 1)));
    lists.set(key, list);
  }
  return RegoObject.of(lists);
}

function marshal(args: Args, run: Run): Value {
  payForText(valueAt(args, 0), run.budget);
  const encoded = canonicalJson(valueAt(args, 0));
  run.budget.string(encoded.length);
  return encoded;
}

function unmarshal(args: Args, run: Run): Value {
  const encoded = text(args, run);
  run.budget.spend(encoded.length);
  return refusing(SyntaxError, 'invalid JSON text', () => parseJson(encoded));
}
