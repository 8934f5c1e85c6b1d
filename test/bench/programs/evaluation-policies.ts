/** Policies for the benchmark of evaluations. */

const LINES = 500;

/** Makes a long policy in the style of a real author. Each check reads every attestation of every trail. */
export function longPolicy(): string {
  const lines = [
    'package policy',
    '',
    'import rego.v1',
    '',
    'default allow := false',
    '',
    'allow if count(violations) == 0',
    '',
    'entries(trail) := trail.compliance_status.attestations_statuses',
    '',
  ];
  for (let n = 1; lines.length + check(n).length <= LINES; n += 1) lines.push(...check(n));
  while (lines.length < LINES) lines.push('# The last check ends here.');
  return `${lines.join('\n')}\n`;
}

/** Makes one check with its own helper rule. No trail of the benchmark violates it. */
const check = (n: number): string[] => [
  `# Check ${n}: builds of stage ${n} are known and fast enough.`,
  `is_slow_${n}(entry) if {`,
  `	entry.user_data.stage == "stage-${n}"`,
  `	entry.user_data.seconds > data.params.most_seconds + ${n}`,
  '}',
  '',
  'violations contains msg if {',
  '	some trail in input.trails',
  '	some name, entry in entries(trail)',
  `	is_slow_${n}(entry)`,
  `	msg := sprintf("%s/%s is too slow in stage ${n}", [trail.name, name])`,
  '}',
  '',
];

/** The number of checks of the policy, which is also the number of stages of the attestations. */
export const STAGES = Math.floor((LINES - 10) / check(1).length);

const MANY = 'numbers.range(1, 1000)';
const FIVE_MEGABYTES = 5_000_000;

/** Texts of policies, without `package policy`, that never end or need too much of a resource. */
export const HOSTILE: Readonly<Record<string, string>> = {
  'endless recursion of a function': 'f(x) := f(x + 1)\nallow if f(1)',
  'endless recursion through data': 'allow if data[input.trail.name].allow\nallow if data[x].allow with input as 1',
  'a chain of calls that doubles 60 times': [
    'f0(x) := x',
    ...Array.from({ length: 60 }, (_, i) => `f${i + 1}(x) := f${i}(x) + f${i}(x + 1)`),
    'allow if f60(1) > 0',
  ].join('\n'),
  'a comprehension of a billion numbers': `allow if count([1 | ${MANY}[_]; ${MANY}[_]; ${MANY}[_]]) > 0`,
  'comprehensions in comprehensions': `allow if count({y | some a in ${MANY}; y := {z | some b in ${MANY}; z := [a, b, [c | some c in ${MANY}]]}}) > 0`,
  'a loop that finds nothing': `allow if { some a in ${MANY}; some b in ${MANY}; some c in ${MANY}; a * b < c * 0 }`,
  'an object of everything with everything': `allow if count({[a, b, c]: c | some a in ${MANY}; some b in ${MANY}; some c in ${MANY}}) > 0`,
  'a product of sets by walking': `x := [y | some a in ${MANY}; y := [b | some b in ${MANY}]]\nallow if { walk(x, [p, v]); walk(x, [q, w]); p == w; v == q }`,
  'a text of a gigabyte by joining': `a := concat("", [s | s := sprintf("%1000d", [${MANY}[_]])])\nallow if concat("", [a | ${MANY}[_]]) == ""`,
  'a text of a gigabyte by width': `allow if sprintf(concat("", ["%1000000d" | ${MANY}[_]]), ${MANY}) == ""`,
  'a text of a gigabyte by doubling': [
    's0 := "0123456789abcdef"',
    ...Array.from({ length: 26 }, (_, i) => `s${i + 1} := concat("", [s${i}, s${i}])`),
    'allow if count(s26) > 0',
  ].join('\n'),
  'a text of a gigabyte by replacing': [
    's0 := "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"',
    ...Array.from({ length: 6 }, (_, i) => `s${i + 1} := replace(s${i}, "a", s0)`),
    'allow if count(s6) > 0',
  ].join('\n'),
  'a number of a billion digits': [
    'n0 := 99999999999999999999',
    ...Array.from({ length: 30 }, (_, i) => `n${i + 1} := n${i} * n${i}`),
    'allow if n30 > 0',
  ].join('\n'),
  'a range of ten billion numbers': 'allow if count(numbers.range(1, 10000000000)) > 0',
  'a regular expression that goes back and forth': `a := concat("", ["a" | ${MANY}[_]])\nallow if { some i in ${MANY}; some j in ${MANY}; regex.match("^(a+)+(a+)+$", concat("", [a, sprintf("%d%d!", [i, j])])) }`,
  'digests of digests': `allow if { some a in ${MANY}; some b in ${MANY}; some c in ${MANY}; crypto.sha256(sprintf("%d%d%d", [a, b, c])) == "x" }`,
  'five megabytes of values': `allow := true\nx := [${'1,'.repeat(FIVE_MEGABYTES / 2)}1]`,
  'five megabytes of brackets': `allow := true\nx := ${'['.repeat(FIVE_MEGABYTES / 2)}${']'.repeat(FIVE_MEGABYTES / 2)}`,
  'five megabytes of rules': `allow := true\n${'r if input.x == 1\n'.repeat(FIVE_MEGABYTES / 18)}`,
  'five megabytes of one expression': `allow if ${'1 + '.repeat(FIVE_MEGABYTES / 4)}1 > 0`,
  'five megabytes of else': `allow if false\n${'else := false if false\n'.repeat(FIVE_MEGABYTES / 23)}`,
  'five megabytes of one word': `allow if ${'a'.repeat(FIVE_MEGABYTES)} == 1`,
  'five megabytes without an end': `allow if "${'a'.repeat(FIVE_MEGABYTES)}`,
  'fifty thousand variables that need each other': `allow if {\n${Array.from({ length: 50_000 }, (_, i) => `\tx${i} = x${i + 1}`).join('\n')}\n\tx50000 = 1\n}`,
};

/** A policy that groups and counts the attestations of all trails by comprehensions inside comprehensions. */
export const COMPREHENSIONS = `package policy

import rego.v1

default allow := false

allow if count(violations) == 0

entries := [entry | some trail in input.trails; some entry in trail.compliance_status.attestations_statuses]

by_stage := {stage: seconds |
	some stage in {entry.user_data.stage | some entry in entries}
	seconds := [entry.user_data.seconds | some entry in entries; entry.user_data.stage == stage]
}

shards := {tag: stages |
	some tag in {tag | some entry in entries; some tag in entry.user_data.tags}
	stages := {entry.user_data.stage | some entry in entries; tag in entry.user_data.tags}
}

violations contains sprintf("%s is slow", [stage]) if {
	some stage, seconds in by_stage
	sum(seconds) / count(seconds) > data.params.most_seconds
}

violations contains sprintf("%s has few stages", [tag]) if {
	some tag, stages in shards
	count(stages) < count({s | some s in stages; startswith(s, "stage-1")})
}
`;
