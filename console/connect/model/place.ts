import { quoted } from '../../model/commands.ts';

/** What the texts of this theme name: a service, an organization, and records that a newcomer can call anything. */
export interface ConnectPlace {
  /** Address of the service: `https://evidence.example.com`. */
  host: string;
  org: string;
}

/** The release of the command-line client that the texts install. It is the one that the tests run. */
export const CLIENT_VERSION = '2.43.1';
/** Installs the client on Linux with an x64 processor, where npm is. */
export const INSTALL = `npm install --global @kosli/cli-linux-x64@${CLIENT_VERSION}`;

/** Names that the texts use. A reader changes them in the copy. */
export const FLOW = 'web';
export const ENVIRONMENT = 'prod';
export const ARTIFACT = 'app';
export const POLICY = 'reported';
/** The file that the workflows build and report. */
export const FILE = 'dist/app.tar';

/** The settings that the client reads from variables, as lines of a shell. */
export const exported = ({ host, org }: ConnectPlace): string[] => [
  `export KOSLI_HOST=${quoted(host)}`,
  `export KOSLI_ORG=${quoted(org)}`,
];

/** Moves every line to the right. */
export const indented = (spaces: number, lines: readonly string[]): string[] =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(spaces) + line));
