import { parseArgs } from 'node:util';
import { SIGNATURES_PER_SECOND } from '#shared/log/rules/signature-line.ts';
import { type Measured, measureLoad } from '../log/log-load.ts';
import type { Load } from '../log/play-load.ts';
import { median, quantile } from '../timing.ts';

/**
 * `npm run bench:log-load -- [--organizations N] [--writes N] [--seconds N] [--calls N] [--latency MILLIS] [--signatures N]`: measures how the integrator
 * keeps up with writes that are spread over many organizations, and how long their receipts take.
 */

const { values } = parseArgs({
  options: {
    organizations: { type: 'string', default: '2000' },
    writes: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '20' },
    calls: { type: 'string', default: '20' },
    latency: { type: 'string', default: '8' },
    signatures: { type: 'string', default: `${SIGNATURES_PER_SECOND}` },
  },
});
const load: Load = {
  organizations: Number(values.organizations),
  writes: Number(values.writes),
  seconds: Number(values.seconds),
  calls: Number(values.calls),
  signatures: Number(values.signatures),
};
const latency = Number(values.latency);

const sumOf = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

function report({ calls, waits, signedAt }: Measured): string[] {
  const entries = sumOf(calls.map((call) => call.entries));
  const seconds = calls.map((call) => call.seconds);
  const perCall = entries / sumOf(seconds);
  const made = Map.groupBy(
    calls.flatMap((call) => call.made),
    (name) => name,
  );
  const perEntry = [...made].map(([name, all]) => `${name} ${(all.length / entries).toFixed(2)}`);
  const inSecond = Map.groupBy(signedAt, Math.floor);
  const most = Math.max(...[...inSecond.values()].map((all) => all.length));
  const processor = sumOf(calls.map((call) => call.processor));
  const at = (share: number) => `${quantile(waits, share).toFixed(1)} s`;
  return [
    `${calls.length} calls with ${(sumOf(calls.map(({ messages }) => messages)) / calls.length).toFixed(1)} messages on average`,
    `A call takes ${(median(seconds) * 1_000).toFixed(0)} ms (99 %: ${(quantile(seconds, 0.99) * 1_000).toFixed(0)} ms), ` +
      `with ${median(calls.map((call) => call.callsInRow))} calls in a row`,
    `A call integrates ${perCall.toFixed(0)} entries per second; ${load.calls} calls: ${(load.calls * perCall).toFixed(0)}`,
    `Processor time of the integrator: ${((processor / entries) * 1_000).toFixed(2)} ms for an entry`,
    `Calls for an entry: ${perEntry.toSorted().join(', ')}`,
    `Signatures: ${(signedAt.length / entries).toFixed(3)} for an entry, at most ${most} in a second`,
    `A receipt takes ${at(0.5)} at the median, ${at(0.99)} at the 99th percentile, ${at(1)} at most (simulated)`,
  ];
}

console.log(
  `${load.organizations} organizations, ${load.writes} writes per second for ${load.seconds} s, at most ${load.calls} calls at once, ` +
    `${latency} ms for each call of the table and each signature, at most ${load.signatures} signatures per second`,
);
const began = performance.now();
const measured = await measureLoad(load, latency, (text) => console.error(text));
for (const line of report(measured)) console.log(line);
console.error(`in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
