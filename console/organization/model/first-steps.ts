/**
 * How an organization gets its first verdict. Each step is a text for bash that runs as it is, one after another. The client
 * reads the commit of an artifact from a git repository, so the second step makes one.
 *
 * @param host `https://evidence.example`
 * @returns what each step does, and its text
 */
export function firstSteps(host: string, org: string): readonly (readonly [what: string, text: string])[] {
  const to = `--org ${org} --host ${host} --api-token "$KEY"`;
  const page = `${host}/${org}`;
  return [
    ['Enter an API key of yours', "printf 'API key: '; read -rs KEY; echo"],
    [
      'Make something to report',
      [
        'git init -q first-steps && cd first-steps && echo hello > app.txt && git add app.txt',
        "git -c user.name=me -c user.email=me@example.com commit -q -m 'First commit'",
      ].join('\n'),
    ],
    [
      'Create a flow and begin a trail',
      `kosli create flow web --use-empty-template ${to}\nkosli begin trail release-1 --flow web ${to}`,
    ],
    [
      'Report an artifact',
      [
        'kosli attest artifact app.txt --artifact-type file --flow web --trail release-1 --name app',
        `--commit HEAD --build-url ${page} --commit-url ${page}`,
        to,
      ].join(' \\\n  '),
    ],
    [
      'Create an environment and report what runs there',
      `kosli create environment prod --type server ${to}\nkosli snapshot path prod --name app --path app.txt ${to}`,
    ],
  ];
}
