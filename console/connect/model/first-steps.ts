import type { Command } from '../../model/commands.ts';
import { ARTIFACT, type ConnectPlace, ENVIRONMENT, FLOW } from './place.ts';
import { environmentCommand, installCommand, keyCommand } from './reporters.ts';

/**
 * How an organization gets its first compliant snapshot without a CI system. Each step is a text for bash that runs as it is, one
 * after another, also a second time. The client reads the commit of an artifact from a git repository, so a step makes one.
 */
export function firstSteps(place: ConnectPlace): Command[] {
  const page = `${place.host}/${place.org}`;
  return [
    installCommand(),
    keyCommand(place),
    {
      what: 'Make something to report',
      text: [
        'cd "$(mktemp -d)" && git init -q && echo hello > app.txt && git add app.txt',
        "git -c user.name=me -c user.email=me@example.com -c commit.gpgsign=false commit -q -m 'First commit'",
      ].join('\n'),
    },
    {
      what: 'Create a flow and begin a trail',
      text: `kosli create flow ${FLOW} --use-empty-template\nkosli begin trail release-1 --flow ${FLOW}`,
    },
    {
      what: 'Report an artifact',
      text: [
        `kosli attest artifact app.txt --artifact-type file --flow ${FLOW} --trail release-1 --name ${ARTIFACT}`,
        `--commit HEAD --build-url ${page} --commit-url ${page}`,
      ].join(' \\\n  '),
    },
    environmentCommand('server'),
    { what: 'Report what runs there', text: `kosli snapshot path ${ENVIRONMENT} --name ${ARTIFACT} --path app.txt` },
  ];
}
