const NETWORK = 'It reads the network';
const RANDOM = 'Its result is random, so a replay would differ';
const OLD = 'Rego v1 has removed it';
const METADATA = 'The engine does not read annotations in comments';

/** Functions that OPA has and the engine refuses, with the reasons. */
export const REFUSED: ReadonlyMap<string, string> = new Map([
  ['http.send', NETWORK],
  ['net.lookup_ip_addr', NETWORK],
  ['opa.runtime', 'It reads settings of the process that evaluates'],
  ['rand.intn', RANDOM],
  ['uuid.rfc4122', RANDOM],
  ['rego.metadata.chain', METADATA],
  ['rego.metadata.rule', METADATA],
  ['rego.parse_module', "It returns OPA's own syntax tree, which the engine does not have"],
  ...['all', 'any', 'net.cidr_overlap', 're_match', 'set_diff'].map((name) => [name, OLD] as const),
  ...['array', 'boolean', 'null', 'object', 'set', 'string'].map((type) => [`cast_${type}`, OLD] as const),
]);
