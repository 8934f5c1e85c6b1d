import { type Command, quoted } from '../../model/commands.ts';

interface Place {
  /** Address of the service: `https://host`. */
  host: string;
  org: string;
  env: string;
}

const joined = (...lines: string[]): string => lines.join(' \\\n  ');
const clientPlace = ({ host, org }: Place): string => `--org ${quoted(org)} --host ${quoted(host)} --api-token "$KEY"`;

const curl = ({ host }: Place, method: string, path: string, body: object): Command => ({
  what: 'curl',
  text: joined(
    `curl -X ${method} ${quoted(`${host}/api/v2${path}`)}`,
    '-H "Authorization: Bearer $KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(body))}`,
  ),
});

/** Commands that attach a policy, and that detach one of the attached. Capital letters stand for what the reader knows. */
export function commandsOfPolicies(place: Place, attached: readonly string[]): Command[] {
  const env = quoted(place.env);
  const [first = 'POLICY'] = attached;
  return [
    { what: 'Attach a policy', text: joined(`kosli attach-policy POLICY --environment ${env}`, clientPlace(place)) },
    {
      what: 'Detach a policy',
      text: joined(`kosli detach-policy ${quoted(first)} --environment ${env}`, clientPlace(place)),
    },
  ];
}

/** Commands that put an artifact on the allow-list. */
export const commandsOfAllowList = (place: Place): Command[] => [
  {
    what: 'Command-line client',
    text: joined(
      'kosli allow artifact NAME',
      '--fingerprint FINGERPRINT',
      `--environment ${quoted(place.env)}`,
      '--reason "WHY IT MAY RUN"',
      clientPlace(place),
    ),
  },
  curl(place, 'PUT', `/allowlists/${place.org}/${place.env}`, {
    artifact_fingerprint: 'FINGERPRINT',
    artifact_name: 'NAME',
    description: 'WHY IT MAY RUN',
  }),
];

/** The command that starts an export of the organization. Administrators may call it. */
export const commandOfExport = ({ host, org }: Omit<Place, 'env'>): string =>
  joined(`curl -X POST ${quoted(`${host}/api/v2/exports/${org}`)}`, '-H "Authorization: Bearer $KEY"');

/** Commands that change what the page of settings shows. */
export const commandsOfSettings = (place: Place): Command[] => [
  {
    ...curl(place, 'PATCH', `/environments/${place.org}/${place.env}`, { description: 'TEXT' }),
    what: 'Change the description',
  },
  {
    what: 'Set a tag',
    text: joined(`kosli tag environment ${quoted(place.env)} --set KEY=VALUE`, clientPlace(place)),
  },
  {
    what: 'Rename; the old name still leads here',
    text: joined(`kosli rename environment ${quoted(place.env)} NEW_NAME`, clientPlace(place)),
  },
  {
    what: 'Archive; its history is kept',
    text: joined(`kosli archive environment ${quoted(place.env)}`, clientPlace(place)),
  },
];
