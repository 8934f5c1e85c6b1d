import type { Missing } from '../trail/model/trail.ts';

/** Where a report goes. */
export interface Place {
  /** Address of the service: `https://host`. */
  host: string;
  org: string;
  flow: string;
  trail: string;
}

export interface Command {
  what: string;
  text: string;
}

/** Quotes a text for a shell. */
export const quoted = (text: string): string =>
  /^[A-Za-z0-9_.,/:@=%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const joined = (...lines: string[]): string => lines.join(' \\\n  ');

/** The command of the client per type, and what each still needs from the reader in capital letters. */
const CLIENT: Readonly<Record<string, readonly [command: string, ...flags: string[]]>> = {
  generic: ['generic'],
  junit: ['junit', '--results-dir FOLDER'],
  snyk: ['snyk', '--scan-results FILE'],
  sonar: ['sonar', '--sonar-api-token TOKEN'],
  jira: ['jira', '--jira-base-url URL', '--jira-pat TOKEN'],
  pull_request: [
    'pullrequest github',
    '--github-token TOKEN',
    '--github-org NAME',
    '--commit COMMIT',
    '--repository NAME',
  ],
  decision: ['decision', '--control CONTROL'],
  sbom: ['sbom', '--sbom-file FILE'],
};

/** The paths below which the API takes reports, where the path is not the type itself. */
const SEGMENTS: Readonly<Record<string, string>> = {
  '*': 'generic',
  jira: 'issue_tracker',
  decision: 'system',
  sbom: 'system',
};

/** Fields that the API asks for besides the name, by type. Capital letters stand for what the reader knows. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  generic: { is_compliant: true },
  '*': { is_compliant: true },
};

/** The commands that report what is missing: with the client, and with curl where the report is a plain one. */
export function commandsFor(missing: Missing, place: Place): Command[] {
  return missing.name === null ? artifactCommands(missing, place) : attestationCommands(missing, missing.name, place);
}

function attestationCommands({ scope, type, fingerprint }: Missing, name: string, place: Place): Command[] {
  const isCustom = type.startsWith('custom:');
  const [command, ...flags] = isCustom
    ? ['custom', `--type ${quoted(type.slice('custom:'.length))}`, '--attestation-data FILE']
    : (CLIENT[type] ?? ['generic']);
  const target = scope === null ? [] : fingerprint === null ? ['--commit COMMIT'] : [`--fingerprint ${fingerprint}`];
  const fullName = scope === null || fingerprint !== null ? name : `${scope}.${name}`;
  const client = joined(
    `kosli attest ${command}`,
    `--name ${quoted(fullName)}`,
    ...target.filter((flag) => !flags.includes(flag)),
    ...flags,
    ...clientPlace(place),
  );
  const fields = FIELDS[type];
  if (!fields) return [{ what: 'Command-line client', text: client }];
  const body = JSON.stringify({
    attestation_name: name,
    ...(scope !== null && fingerprint !== null && { artifact_fingerprint: fingerprint }),
    ...(scope !== null && fingerprint === null && { target_artifacts: [scope], git_commit_info: { sha1: 'COMMIT' } }),
    ...fields,
  });
  const [org, flow, trail] = [place.org, place.flow, place.trail].map(encodeURIComponent);
  const path = `/attestations/${org}/${flow}/trail/${trail}/${SEGMENTS[type] ?? type}`;
  return [
    { what: 'Command-line client', text: client },
    { what: 'curl', text: post(place, path, body) },
  ];
}

function artifactCommands({ scope }: Missing, place: Place): Command[] {
  return [
    {
      what: 'Command-line client',
      text: joined(
        'kosli attest artifact FILE_OR_IMAGE',
        `--name ${quoted(scope ?? '')}`,
        '--artifact-type file',
        '--build-url URL',
        '--commit-url URL',
        '--commit COMMIT',
        ...clientPlace(place),
      ),
    },
  ];
}

const clientPlace = ({ host, org, flow, trail }: Place): string[] => [
  `--flow ${quoted(flow)}`,
  `--trail ${quoted(trail)}`,
  `--org ${quoted(org)}`,
  `--host ${quoted(host)}`,
  '--api-token "$KEY"',
];

const post = ({ host }: Place, path: string, body: string): string =>
  joined(
    `curl -X POST ${quoted(`${host}/api/v2${path}`)}`,
    '-H "Authorization: Bearer $KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${quoted(body)}`,
  );

/** The call that reads what a page shows. */
export const curlOf = (host: string, path: string): string =>
  joined(`curl ${quoted(`${host}${path}`)}`, '-H "Authorization: Bearer $KEY"');

interface SentRequest {
  method: string;
  /** Path below the host, with its query. */
  path: string;
  body?: unknown;
  /** The part of a form that holds the body. */
  part?: string | undefined;
  /** The files of a form by the names of their parts. */
  files?: Readonly<Record<string, { name: string }>> | undefined;
}

/** The call that a form sends. Long texts are sent from files: curl takes them from the folder that it runs in. */
export function curlOfWrite(host: string, { method, path, body, part, files = {} }: SentRequest): string {
  const json = JSON.stringify(body);
  const asForm = Object.entries(files).map(([name, file]) => `-F ${quoted(`${name}=@${file.name}`)}`);
  const asJson = body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(json)}`];
  return joined(
    `curl -X ${method} ${quoted(host + path)}`,
    '-H "Authorization: Bearer $KEY"',
    // `-F` would read the text between a semicolon and the end as the type of the part.
    ...(part === undefined ? asJson : [`--form-string ${quoted(`${part}=${json}`)}`, ...asForm]),
  );
}
