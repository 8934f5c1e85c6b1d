/**
 * A part of the benchmark. `npm run bench` measures the parts one after another, each in a process of its own, and writes
 * the page from their results. `npm run bench -- --part NAME` measures one part and prints its section.
 */
export interface Part<Result> {
  name: string;
  /** The part counts calls and units and measures no times, so other work on the machine does not matter. */
  isCounted?: boolean;
  /** Measures. The result is plain JSON, because it crosses a process boundary. */
  measure(run: PartRun): Promise<Result>;
  /** The section of the page, in Markdown, from its `##` heading on. */
  section(result: Result): string;
  /** One sentence for each goal that the result misses. */
  missed(result: Result): string[];
}

export interface PartRun {
  /** Takes about a minute: short stretches and small organizations. The figures are for trying the part only. */
  quick: boolean;
  /** Measure only the requests whose name contains this text. A part that measures no single requests ignores it. */
  only?: string | undefined;
  progress(text: string): void;
}
