import { isIPv4, isIPv6 } from 'node:net';
import type { Run } from '../../run/context.ts';
import { accepts } from '../operands.ts';
import { compiled } from '../regexes.ts';
import { parseUri } from '../uris.ts';

type Check = (text: string, run: Run) => boolean;

const matches =
  (form: RegExp): Check =>
  (text) =>
    form.test(text);

const isReference: Check = (text, run) => !text.includes('\\') && accepts(parseUri)(text, run);
const isUri: Check = (text, run) => isReference(text, run) && /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text);

/** Whether a date exists, in the calendar that has no gaps. */
function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return day !== undefined && !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

const isTime = matches(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?$/);

function isDateTime(text: string, run: Run): boolean {
  const [, date = '', time = ''] = /^([^T]*)T(.*)$/.exec(text) ?? [];
  return isDate(text) || isTime(text, run) || (isDate(date) && isTime(time, run) && /(Z|[+-]\d\d:\d\d)$/.test(time));
}

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";

/** Checks of formats by name. Texts fit every other format. */
export const FORMATS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['hostname', (text) => text.length < 256 && new RegExp(`^${LABEL}(?:\\.${LABEL})*$`).test(text)],
  ['email', matches(new RegExp(`^${ATOM}(?:\\.${ATOM})*@${ATOM}(?:\\.${ATOM})*$`))],
  ['idn-email', matches(new RegExp(`^${ATOM}(?:\\.${ATOM})*@${ATOM}(?:\\.${ATOM})*$`))],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['uri', isUri],
  ['iri', isUri],
  ['uri-reference', isReference],
  ['iri-reference', isReference],
  ['uri-template', (text, run) => isReference(text, run) && /^(?:[^{]|\{[^}]*\})*$/.test(text)],
  ['uuid', matches(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i)],
  ['regex', accepts(compiled)],
  ['json-pointer', matches(/^(?:\/(?:[^~/]|~0|~1)*)*$/)],
  ['relative-json-pointer', matches(/^(?:0|[1-9][0-9]*)(?:#|(?:\/(?:[^~/]|~0|~1)*)*)$/)],
]);
