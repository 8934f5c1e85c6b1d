import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareCheckouts } from './checkouts.ts';
import { compare, type Running } from './figures.ts';
import { observePromises, readBack, writeUntilEnd } from './promises.ts';
import { rekor } from './rekor.ts';
import { thisService } from './this-service.ts';

const USAGE = `Usage: npm run bench:beside -- COMMAND [options]

Writes the same signed attestations to this service and to Rekor, which both have to run already (docs/comparison.md says how
to start them), or to the services of two checkouts. All addresses have to be on this machine.

Commands
  figures           measures both in rounds: attestations per second, times, processor time and space on the disk
  checkouts         starts the services of two checkouts and measures them in the same way, such as this one and an older commit
  promises          tries what each has done when it answers: visible, numbered, proven, who may write
  write             writes to one system until it ends, and appends each accepted write to the file of --to
  read              reads back from one system what "write" put into the file of --from

Options
  --key KEY         key of an admin or member of the organization in this service; the first start prints one
  --org NAME        organization in this service (default demo)
  --data-dir DIR    data directory of this service; its file stack.json names the address and the process
  --rekor URL       address of Rekor, such as http://127.0.0.1:3000
  --rekor-process PID
                    a process of Rekor, of Trillian or of their database; repeat it for each of them (figures)
  --rekor-data DIR  a folder with data of Rekor or of its database; repeat it for each of them (figures)
  --checkout DIR    a checkout with installed packages; repeat it for each of them (checkouts)
  --rounds N        rounds (figures, checkouts, default 5)
  --attestations N  attestations that a system takes in a turn (figures, checkouts, default 300)
  --page FILE       also put the tables into this page, between their marks (figures, promises)
  --system NAME     "service" or "rekor" (write, read)
  --to FILE, --from FILE
                    file of accepted writes (write, read)
  --help            prints this text
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    key: { type: 'string' },
    org: { type: 'string', default: 'demo' },
    'data-dir': { type: 'string' },
    rekor: { type: 'string' },
    'rekor-process': { type: 'string', multiple: true, default: [] },
    'rekor-data': { type: 'string', multiple: true, default: [] },
    checkout: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '5' },
    attestations: { type: 'string', default: '300' },
    page: { type: 'string' },
    system: { type: 'string' },
    to: { type: 'string' },
    from: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** @throws Error if the option is missing */
function needed(name: 'key' | 'data-dir' | 'rekor' | 'to' | 'from'): string {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing; --help shows all options`);
  return value;
}

/** Refuses addresses of other machines, which nobody may load without their owner's consent. */
function local(url: string): string {
  if (['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)) return url;
  throw new Error(`${url} is not on this machine`);
}

function wholeNumber(name: 'rounds' | 'attestations'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new Error(`--${name} must be a whole number from 1`);
}

function service(): Running {
  const folder = needed('data-dir');
  const { url, pid } = JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as { url: string; pid: number };
  return { system: thisService(local(url), values.org, needed('key')), processes: [pid], data: [folder] };
}

function other(): Running {
  const processes = values['rekor-process'].map(Number);
  return { system: rekor(local(needed('rekor'))), processes, data: values['rekor-data'] };
}

function chosen(): Running['system'] {
  if (values.system === 'service') return service().system;
  if (values.system === 'rekor') return other().system;
  throw new Error('--system must be "service" or "rekor"');
}

/** Prints a section, and replaces the text between its marks in the page. */
function show(name: 'figures' | 'promises', section: string): void {
  console.log(section);
  if (values.page === undefined) return;
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const page = readFileSync(values.page, 'utf8');
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${values.page} does not have the marks ${begin} and ${end}`);
  writeFileSync(values.page, `${before}${begin}\n\n${section}\n\n${end}${after}`);
}

const plan = () => ({
  rounds: wholeNumber('rounds'),
  attestations: wholeNumber('attestations'),
  progress: console.error,
});

async function checkouts(): Promise<void> {
  if (values.checkout.length < 2) throw new Error('--checkout has to name two folders; --help shows all options');
  console.log(await compareCheckouts(values.checkout, plan()));
}

async function figures(): Promise<void> {
  const [one, two] = [service(), other()];
  if (two.processes.length === 0 || two.data.length === 0) {
    throw new Error('--rekor-process and --rekor-data are missing; --help shows all options');
  }
  show('figures', await compare([one, two], plan()));
}

const COMMANDS: Record<string, () => Promise<void>> = {
  figures,
  checkouts,
  promises: async () => show('promises', await observePromises([service().system, other().system])),
  write: async () => console.log(`${await writeUntilEnd(chosen(), needed('to'))} writes were accepted`),
  read: async () => console.log(await readBack(chosen(), needed('from'))),
};

const command = COMMANDS[positionals[0] ?? ''];
if (values.help || !command) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 1);
}
await command();
