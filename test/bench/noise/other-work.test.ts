import { describe, expect, it } from 'vitest';
import { describeWork, isQuiet, otherWork, type Sample } from './other-work.ts';
import { machineTimes, processTimes } from './processor-time.ts';
import { describeSeen, wasQuiet } from './watch.ts';

const sample = (change: Partial<Sample>): Sample => ({
  capacity: 0,
  busy: 0,
  stolen: 0,
  own: 0,
  others: [],
  ...change,
});
const compiler = (pid: number, ticks: number) => ({ pid, name: 'compile', ticks });

describe('otherWork', () => {
  it('does not count the work of the benchmark itself', () => {
    const work = otherWork([sample({}), sample({ capacity: 1_000, busy: 900, own: 890 })]);
    expect(work.share).toBe(0.01);
    expect(isQuiet(work)).toBe(true);
  });

  it('refuses a short burst in a long measurement', () => {
    const work = otherWork([
      sample({}),
      sample({ capacity: 1_000, busy: 400, others: [compiler(7, 400)] }),
      sample({ capacity: 100_000, busy: 400, others: [compiler(7, 400)] }),
    ]);
    expect(work).toEqual({ share: 0.004, worst: 0.4, busiest: [{ name: 'compile', share: 0.004 }] });
    expect(isQuiet(work)).toBe(false);
  });

  it('refuses little work that goes on all the time', () => {
    expect(isQuiet(otherWork([sample({}), sample({ capacity: 1_000, busy: 60 })]))).toBe(false);
    expect(isQuiet(otherWork([sample({}), sample({ capacity: 1_000, busy: 50 })]))).toBe(true);
  });

  it('gives no weight of its own to a stretch that is too short', () => {
    const samples = [sample({}), sample({ capacity: 1_000 }), sample({ capacity: 1_010, busy: 10 })];
    expect(otherWork(samples).worst).toBe(1);
    expect(otherWork(samples, 500).worst).toBeCloseTo(10 / 1_010);
  });

  it('adds processes of one name, also those that began or ended meanwhile', () => {
    const work = otherWork([
      sample({ others: [compiler(1, 500)] }),
      sample({ capacity: 500, others: [compiler(1, 520), compiler(2, 30)] }),
      sample({ capacity: 1_000, stolen: 100, others: [compiler(3, 50)] }),
    ]);
    expect(work.busiest).toEqual([
      { name: 'compile', share: 0.1 },
      { name: 'other virtual machines', share: 0.1 },
    ]);
    expect(describeWork(work)).toBe(
      '0.0 % of the processors, 0.0 % at the worst (compile 10.0 %, other virtual machines 10.0 %)',
    );
  });

  it('needs two samples', () => {
    expect(() => otherWork([sample({})])).toThrow('between two samples');
  });
});

describe('wasQuiet', () => {
  it('judges by the load where the system reports no processor times', () => {
    expect(wasQuiet({ load: 0.4 })).toBe(true);
    expect(wasQuiet({ load: 0.6 })).toBe(false);
    expect(describeSeen({ load: 0.6 })).toBe('an average load of 0.6 in the minute before');
  });
});

describe('times of the system', () => {
  it('counts neither waiting nor interrupts as work', () => {
    const text = 'cpu  10 20 30 1000 200 3 4 5 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n';
    expect(machineTimes(text)).toEqual({ capacity: 1_272, busy: 65, stolen: 5 });
  });

  it('reads a process whose name contains spaces and parentheses', () => {
    const text = '42 (a (b) c) S 7 42 42 0 -1 4194304 99 0 0 0 11 12 13 14 20 0 1 0 5743303 3133440 418';
    expect(processTimes(text)).toEqual({ pid: 42, name: 'a (b) c', parent: 7, ticks: 23, ofChildren: 27 });
  });
});
