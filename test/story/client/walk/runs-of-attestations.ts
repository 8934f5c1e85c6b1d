import type { Run } from './drive.ts';
import { EXCLUDED, FOLDER, FOLDER_FINGERPRINT } from './files.ts';

/** The kinds of attestations, and the flags that only they have. */
interface Kind {
  command: string;
  flags: readonly string[];
  reaches?: Run['reaches'];
  hidden?: readonly string[];
  /** Whether the command attaches files of the caller. @default true */
  attaches?: boolean;
  /** Whether every run needs a commit and a repository. @default false */
  change?: boolean;
}

/** @param foreign address of the server that stands for other services */
const kinds = (foreign: string): Kind[] => [
  {
    command: 'generic',
    flags: ['--compliant=false'],
    reaches: { compliant: ['"is_compliant":false'] },
    hidden: ['compliant'],
  },
  {
    command: 'custom',
    flags: ['--type', 'age', '--attestation-data', 'old.json'],
    reaches: { 'attestation-data': ['42'] },
  },
  {
    command: 'decision',
    flags: ['--control', 'CTL-1', '--compliant=false'],
    reaches: { compliant: ['"is_compliant":false'] },
    hidden: ['compliant'],
  },
  {
    command: 'sbom',
    flags: ['--sbom-file', 'sbom.json'],
    reaches: { 'sbom-file': ['cyclonedx-1.6'] },
    attaches: false,
  },
  {
    command: 'junit',
    flags: ['--results-dir', 'junit', '--upload-results'],
    reaches: { 'results-dir': ['"client"'], 'upload-results': ['attachment_file'] },
    hidden: ['results-dir', 'upload-results'],
  },
  {
    command: 'snyk',
    flags: ['--scan-results', 'scan.json', '--upload-results'],
    reaches: { 'scan-results': ['scanner'], 'upload-results': ['attachment_file'] },
    hidden: ['upload-results'],
  },
  {
    command: 'jira',
    flags: [
      ...['--jira-base-url', foreign, '--jira-username', 'ann', '--jira-api-token', 't', '--jira-project-key', 'WALK'],
      ...['--jira-issue-fields', 'summary', '--jira-secondary-source', 'WALK-1', '--ignore-branch-match'],
    ],
    reaches: { 'jira-issue-fields': ['A ticket of the walk'], 'jira-secondary-source': ['WALK-1'] },
    change: true,
  },
  {
    command: 'pullrequest github',
    flags: ['--github-base-url', foreign, '--github-org', 'acme', '--github-token', 't'],
    change: true,
  },
  {
    command: 'pullrequest gitlab',
    flags: ['--gitlab-base-url', foreign, '--gitlab-org', 'acme', '--gitlab-token', 't'],
    change: true,
  },
  {
    command: 'sonar',
    flags: ['--sonar-api-token', 't', '--sonar-ce-task-url', `${foreign}/api/ce/task?id=T1`],
  },
];

/** Replaces the verdict of the generic attestation, about the artifact and about the folder itself. */
const overrideKind: Kind = {
  command: 'override',
  flags: ['--original-attestation-type', 'generic', '--reason', 'as the walk says', '--new-compliance-status'],
  reaches: { 'new-compliance-status': ['"new_compliance_status":true'] },
  attaches: false,
};

/** Runs of overrides, which the client lists nowhere. They come after the other kinds. */
export const overrideRuns = (commit: string): Run[] => runsOf(overrideKind, commit);

/** Two runs of each kind: about the artifact by its fingerprint, with every flag, and about the folder itself. */
export const attestationRuns = (commit: string, foreign: string): Run[] =>
  kinds(foreign).flatMap((kind) => runsOf(kind, commit));

function runsOf(kind: Kind, commit: string): Run[] {
  const { command, flags, reaches = {}, hidden = [], attaches = true, change = false } = kind;
  const name = command.replaceAll(' ', '-');
  const place = ['attest', ...command.split(' '), '--flow', 'walk', '--trail', 't1', '--name'];
  const origin = change ? ['--commit', 'HEAD', '--repo-root', 'repo', '--repository', 'walk'] : [];
  const attachment = attaches ? ['--attachments', 'screenshot.txt'] : [];
  return [
    {
      args: [
        ...[...place, name, ...flags, '--fingerprint', FOLDER_FINGERPRINT, '--description', `About ${name}`],
        ...['--origin-url', `https://ci.example/${name}`, '--annotate', `by_${name.replace('-', '_')}=walk`],
        ...['--external-url', `log=https://log.example/${name}`, '--external-fingerprint', `log=${'ab'.repeat(32)}`],
        ...['--user-data', 'user-data.json', '--commit', 'HEAD', '--repo-root', 'repo', ...attachment],
        ...['--redact-commit-info', 'author', '--repo-id', '17', '--repo-url', 'https://code.example/acme/walk'],
        ...['--repository', 'acme/walk', '--repo-provider', 'gitlab'],
      ],
      reaches: { ...reaches, commit: [commit], attachments: ['attachment_file'] },
      shown: `/attestations/{org}/walk/trail/t1/${name}`,
      hidden: [...hidden, 'attachments'],
    },
    {
      args: [
        ...place,
        `${name}-of-folder`,
        ...flags,
        ...origin,
        ...[FOLDER, '--artifact-type', 'dir', '--exclude', EXCLUDED],
      ],
      reaches: { ...reaches, commit: [commit] },
    },
  ];
}
