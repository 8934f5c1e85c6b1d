import { type Location, RegoError } from '../errors.ts';

const NETWORK = 'It reads the network';
const RANDOM = 'Its result is random, so a replay would differ';
const OLD = 'Rego v1 has removed it';

/** Functions that OPA has and the engine refuses, with the reasons. */
export const REFUSED: ReadonlyMap<string, string> = new Map([
  ['http.send', NETWORK],
  ['net.lookup_ip_addr', NETWORK],
  ['opa.runtime', 'It reads settings of the process that evaluates'],
  ['rand.intn', RANDOM],
  ['uuid.rfc4122', RANDOM],
  ['rego.parse_module', 'It returns the syntax tree of OPA, which has another form than the trees of this engine'],
  ...['all', 'any', 'net.cidr_overlap', 're_match', 'set_diff'].map((name) => [name, OLD] as const),
  ...['array', 'boolean', 'null', 'object', 'set', 'string'].map((type) => [`cast_${type}`, OLD] as const),
]);

/** Returns the error for a call of a function that the engine does not have, with the reason if it has one. */
export function unknownFunction(name: string, at: Location): RegoError {
  const reason = REFUSED.get(name);
  const why = reason === undefined ? '' : ` (${reason.charAt(0).toLowerCase()}${reason.slice(1)})`;
  return new RegoError('compile', `undefined or unsupported function ${name}${why}`, at);
}
