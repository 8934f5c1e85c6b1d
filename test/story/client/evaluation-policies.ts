import { expect } from 'vitest';

/** Policies that the client evaluates itself and has the service evaluate. Each tests one feature. */

/** A policy with a verdict. */
export interface VerdictCase {
  name: string;
  policy: string;
  /** The same policy as a folder of files. The service accepts a folder; the client itself accepts one file. */
  bundle?: Record<string, string>;
  params?: object;
  /** Names of the attestations that the client keeps in its own input. */
  attestations?: string;
  /** The trails that the policy allows when it is asked for one trail. `all` stands for the three trails together. */
  allowed: string[];
  /** Violations of the trail `v2` alone; null where there are none. */
  violations: string[] | null;
}

const HEAD = 'package policy\n\nimport rego.v1\n\n';
/** Whatever command a policy is run by, these are its trails. */
const TRAILS = 'trails := input.trails if input.trails\n\nelse := [input.trail]\n\n';
const VERDICT = 'default allow := false\n\nallow if count(violations) == 0\n\n';

const BY_PARAMS = `violations contains msg if {
	some trail in trails
	age := trail.compliance_status.artifacts_statuses.client.attestations_statuses.age.attestation_data.age
	age < data.params.least
	msg := sprintf("%s: %d is less than %d", [trail.name, age, data.params.least])
}
`;

export const VERDICTS: readonly VerdictCase[] = [
  {
    name: 'allows everything',
    policy: 'package policy\n\nallow := true\n',
    allowed: ['v1', 'v2', 'v3', 'all'],
    violations: null,
  },
  {
    name: 'denies everything with one violation',
    policy: 'package policy\n\nallow := false\n\nviolations contains "never"\n',
    allowed: [],
    violations: ['never'],
  },
  {
    name: 'denies without violations',
    policy: 'package policy\n\ndefault allow := false\n',
    allowed: [],
    violations: null,
  },
  {
    name: 'says whatever it was given, so that it has to be the same to the letter',
    policy: `${HEAD}${TRAILS}allow := false\n\nviolations contains json.marshal(trail) if some trail in trails\n`,
    allowed: [],
    violations: [expect.stringContaining('"pull_requests"')],
  },
  {
    name: 'has a threshold in its params',
    policy: `${HEAD}${TRAILS}${VERDICT}${BY_PARAMS}`,
    params: { least: 18 },
    allowed: ['v1', 'v3'],
    violations: ['v2: 12 is less than 18'],
  },
  {
    name: 'asks whether there are params at all',
    policy: `${HEAD}default allow := true\n\nallow := false if data.params\n`,
    allowed: ['v1', 'v2', 'v3', 'all'],
    violations: null,
  },
  {
    name: 'looks attestations up by their names',
    policy: `${HEAD}${TRAILS}${VERDICT}entries(trail) := {
	"review": trail.compliance_status.attestations_statuses.review,
	"ticket": trail.compliance_status.attestations_statuses.ticket,
	"lint": trail.compliance_status.artifacts_statuses.client.attestations_statuses.lint,
}

violations contains msg if {
	some trail in trails
	some name, entry in entries(trail)
	not entry.is_compliant
	msg := sprintf("%s of %s: %v", [name, trail.name, entry.is_compliant])
}
`,
    allowed: ['v1'],
    violations: ['lint of v2: false'],
  },
  {
    name: 'looks up an attestation that its input was filtered by',
    policy: `${HEAD}${TRAILS}default allow := false

tests(trail) := trail.compliance_status.artifacts_statuses.client.attestations_statuses["unit-tests"]

allow if every trail in trails {
	sum([bad | some suite in tests(trail).junit_results; bad := suite.failures + suite.errors]) == 0
	tests(trail).is_compliant == true
}
`,
    attestations: 'client.unit-tests',
    allowed: ['v1'],
    violations: null,
  },
  {
    name: 'looks at what only the full record says',
    policy: `${HEAD}${TRAILS}${VERDICT}approved(review) if {
	some pull in review.pull_requests
	count(pull.approvers) > 0
}

violations contains msg if {
	some trail in trails
	review := trail.compliance_status.attestations_statuses.review
	not approved(review)
	msg := sprintf("%s: nobody approved %v", [trail.name, [pull.url | some pull in review.pull_requests]])
}
`,
    allowed: ['v1'],
    violations: ['v2: nobody approved ["https://code.example/2"]'],
  },
  {
    name: 'looks at what was overridden, and why',
    policy: `${HEAD}${TRAILS}${VERDICT}violations contains msg if {
	some trail in trails
	some name, entry in trail.compliance_status.attestations_statuses
	entry.overridden_attestation_id != null
	msg := sprintf("%s is overridden: %s, %v", [name, entry.reason, entry.is_compliant])
}
`,
    allowed: ['v1', 'v3'],
    violations: ['ticket is overridden: closed by mistake, true'],
  },
  {
    name: 'asks for every tracked issue, in the trail or in its artifacts',
    policy: `${HEAD}${TRAILS}${VERDICT}found := {issue.issue_id: issue.issue_exists |
	some trail in trails
	[_, entry] := walk(trail.compliance_status)
	some issue in entry.jira_results
}

violations contains id if {
	some id, exists in found
	not exists
}
`,
    allowed: ['v1', 'v2'],
    violations: null,
  },
  {
    name: 'has helper modules and data files',
    policy: `${HEAD}${TRAILS}${VERDICT}kinds := {"generic": 0, "junit": 1}

violations contains sprintf("%s counts %d", [name, weight]) if {
	some trail in trails
	some name, entry in trail.compliance_status.artifacts_statuses.client.attestations_statuses
	entry.is_compliant == false
	weight := kinds[entry.attestation_type]
	weight > 0
}
`,
    bundle: {
      'main.rego': `${HEAD}import data.lib.failing

${VERDICT}violations contains sprintf("%s counts %d", [name, weight]) if {
	some [name, type] in failing.entries
	weight := data.weights.kinds[type]
	weight > data.weights.least
}
`,
      'lib/failing.rego': `package lib.failing

import rego.v1
import data.lib.trails

entries contains [name, entry.attestation_type] if {
	some trail in trails.all
	some name, entry in trail.compliance_status.artifacts_statuses.client.attestations_statuses
	entry.is_compliant == false
}
`,
      'lib/trails.rego': `package lib.trails\n\nall := input.trails if input.trails\n\nelse := [input.trail]\n`,
      'weights/data.json': '{"kinds": {"generic": 0, "junit": 1}}',
      'weights/data.yaml': 'least: 0\n',
      'readme.md': 'neither a module nor data',
    },
    allowed: ['v1', 'v3'],
    violations: ['unit-tests counts 1'],
  },
];

/** A policy without a verdict, and the error of the service. The client itself also fails on it. */
export interface FailureCase {
  name: string;
  policy: string;
  kind: 'policy_invalid' | 'policy_error';
  message: RegExp;
}

export const FAILURES: readonly FailureCase[] = [
  {
    name: 'has a syntax error',
    policy: 'package policy\n\nallow := {\n',
    ...{ kind: 'policy_invalid', message: /^policy\.rego:\d+:\d+: / },
  },
  {
    name: 'has no package',
    policy: 'allow := true\n',
    ...{ kind: 'policy_invalid', message: /^policy\.rego:1:1: .*package/ },
  },
  {
    name: 'has another package',
    policy: 'package rules\n\nallow := true\n',
    ...{ kind: 'policy_invalid', message: /^No module has the package 'policy': there is rules$/ },
  },
  {
    name: 'has no rule `allow`',
    policy: 'package policy\n\ndeny := true\n',
    ...{ kind: 'policy_invalid', message: /^The package 'policy' has no rule 'allow'$/ },
  },
  {
    name: 'has an unsafe variable',
    policy: 'package policy\n\nallow if not input.list[i] == 1\n',
    ...{ kind: 'policy_invalid', message: /^policy\.rego:3:\d+: var i is unsafe/ },
  },
  {
    name: 'has another branch for what holds anyway',
    policy: 'package policy\n\nallow := true else := false\n',
    ...{ kind: 'policy_invalid', message: /^policy\.rego:3:15: unexpected "else"/ },
  },
  {
    name: 'says nothing where it does not allow',
    policy: 'package policy\n\nallow if input.nothing\n',
    ...{ kind: 'policy_error', message: /^The rule 'allow' is undefined for this input$/ },
  },
  {
    name: 'says neither true nor false',
    policy: 'package policy\n\nallow := "yes"\n',
    ...{ kind: 'policy_error', message: /^The rule 'allow' has to be true or false, and is a string$/ },
  },
  {
    name: 'contradicts itself',
    policy: 'package policy\n\nallow := true\n\nallow := false if is_object(input)\n',
    ...{ kind: 'policy_error', message: /^policy\.rego:\d+:\d+: / },
  },
  {
    name: 'has violations that contradict themselves',
    policy: 'package policy\n\nallow := false\n\nviolations := ["a"]\n\nviolations := ["b"] if is_object(input)\n',
    ...{ kind: 'policy_error', message: /^policy\.rego:\d+:\d+: / },
  },
];
