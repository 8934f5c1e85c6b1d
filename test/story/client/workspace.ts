import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files that the commands of a story use, relative to the folder that the commands run in. */

const ARTIFACT = 'the bytes of a build';
export const FINGERPRINT = createHash('sha256').update(ARTIFACT).digest('hex');

export const TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: pull_request
    - name: ticket
      type: jira
    - name: quality
      type: sonar
    - name: dependencies
      type: snyk
    - name: approval
      type: decision
  artifacts:
    - name: client
      attestations:
        - name: lint
          type: generic
        - name: unit-tests
          type: junit
        - name: age
          type: custom:age-check
`;

/** Two mistakes at two levels. */
const BAD_TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: rumour
  deadline: tomorrow
`;

const SUITE = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="client" tests="3" failures="0" errors="0" skipped="1" time="0.5" timestamp="2026-01-02T03:04:05">
  <testcase name="starts" classname="client" time="0.1"/>
  <testcase name="stops" classname="client" time="0.2"/>
  <testcase name="waits" classname="client" time="0.2"><skipped/></testcase>
</testsuite>
`;

/** A scan that found nothing, as scanners write it. */
const SCAN = {
  $schema: 'https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json',
  version: '2.1.0',
  runs: [{ tool: { driver: { name: 'scanner', version: '1.2', rules: [] } }, results: [] }],
};

/** Allows what is compliant on the trail and, in the custom attestation, old enough for the caller's parameter. */
const POLICY = `package policy

default allow := false

allow if count(violations) == 0

violations contains msg if {
	some name, status in input.trail.compliance_status.attestations_statuses
	not status.is_compliant
	msg := sprintf("%s is not compliant", [name])
}

violations contains msg if {
	some artifact in input.trail.compliance_status.artifacts_statuses
	evidence := artifact.attestations_statuses.age
	evidence.attestation_data.age < data.params.least
	msg := sprintf("%d is less than %d", [evidence.attestation_data.age, data.params.least])
}
`;

const SCHEMA = { type: 'object', required: ['age'], properties: { age: { type: 'integer' } } };

const FILES: Record<string, string> = {
  'client.bin': ARTIFACT,
  'template.yml': TEMPLATE,
  'bad-template.yml': BAD_TEMPLATE,
  'schema.json': JSON.stringify(SCHEMA),
  'young.json': JSON.stringify({ age: 12 }),
  'old.json': JSON.stringify({ age: 42 }),
  'other.json': JSON.stringify({ years: 42 }),
  'user-data.json': JSON.stringify({ build: { number: 7, tags: ['<b>', 'é'] } }),
  'scan.json': JSON.stringify(SCAN),
  'policy.rego': POLICY,
  'junit/TEST-client.xml': SUITE,
  'evidence/nested/log.txt': 'a log in a folder',
  'screenshot.txt': 'a file beside it',
};

/** Writes the files and makes a git repository `repo` with one commit. */
export function fillWorkspace(dir: string): void {
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  git(dir, 'init', '--quiet', '--initial-branch', 'main', 'repo');
  git(join(dir, 'repo'), 'remote', 'add', 'origin', 'https://code.example/acme/client.git');
  const author = ['-c', 'user.name=Ann Author', '-c', 'user.email=ann@example.com'];
  git(join(dir, 'repo'), ...author, 'commit', '--quiet', '--allow-empty', '--message', 'Add the client');
}

/** SHA-1 of the repository's only commit. */
export const commitOf = (dir: string): string => git(join(dir, 'repo'), 'rev-parse', 'HEAD').trim();

const git = (cwd: string, ...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' });
