/** Where everything in the flow picture stands, in pixels of a picture as wide as its place. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface FlowLayout {
  readonly width: number;
  readonly height: number;
  readonly isNarrow: boolean;
  readonly sources: readonly Box[];
  readonly tables: readonly Box[];
  readonly waiting: Box;
  readonly deadLetters: Box;
  /** Lines of the water: from each source into the river, from the river to each table and to what does not get there. */
  readonly inflows: readonly string[];
  readonly outflows: readonly string[];
  readonly spills: readonly [waiting: string, deadLetters: string];
  /** Where the rate of the river is written. */
  readonly label: { readonly x: number; readonly y: number };
}

const NARROW_BELOW = 720;
/** How far apart the lines of two sources run in the river. */
const STRIPE = 9;

/**
 * `sources` is the number of boxes that flow in, `tables` has an entry for each box that is flowed into: which source the
 * water comes from, or undefined where it is of several.
 */
export function layOut(width: number, sources: number, tables: readonly (number | undefined)[]): FlowLayout {
  return width < NARROW_BELOW ? narrow(width, sources, tables) : wide(width, sources, tables);
}

function stripe(index: number, of: number): number {
  return (index - (of - 1) / 2) * STRIPE;
}

/** Sources on the left, tables on the right, the river between them. */
function wide(width: number, sources: number, tables: readonly (number | undefined)[]): FlowLayout {
  const [sourceHeight, sourceGap, tableHeight, tableGap] = [70, 16, 44, 12];
  const sourcesHeight = sources * (sourceHeight + sourceGap) - sourceGap;
  const tablesHeight = tables.length * (tableHeight + tableGap) - tableGap;
  const height = Math.max(sourcesHeight, tablesHeight);
  const boxWidth = Math.min(280, Math.max(200, Math.round(width * 0.25)));
  const middle = height / 2;
  const start = Math.round(boxWidth + (width - 2 * boxWidth) * 0.4);
  const end = Math.round(boxWidth + (width - 2 * boxWidth) * 0.6);
  const sourceTop = middle - sourcesHeight / 2;
  const tableTop = middle - tablesHeight / 2;
  const tableX = width - boxWidth;
  const pillWidth = Math.min(170, (width - 2 * boxWidth - 44) / 2);
  const centre = width / 2;
  const pill = (x: number): Box => ({ x, y: height - 46, width: pillWidth, height: 46 });
  const waiting = pill(centre - pillWidth - 8);
  const deadLetters = pill(centre + 8);
  const spill = ({ x, y, width: across }: Box) =>
    `M${centre} ${middle} C${centre} ${middle + 60} ${x + across / 2} ${middle + 40} ${x + across / 2} ${y}`;
  return {
    width,
    height,
    isNarrow: false,
    sources: boxes(sources, (index) => ({
      x: 0,
      y: sourceTop + index * (sourceHeight + sourceGap),
      width: boxWidth,
      height: sourceHeight,
    })),
    tables: boxes(tables.length, (index) => ({
      x: tableX,
      y: tableTop + index * (tableHeight + tableGap),
      width: boxWidth,
      height: tableHeight,
    })),
    waiting,
    deadLetters,
    inflows: boxes(sources, (index) => {
      const y = sourceTop + index * (sourceHeight + sourceGap) + sourceHeight / 2;
      const inRiver = middle + stripe(index, sources);
      const half = (boxWidth + start) / 2;
      return `M${boxWidth} ${y} C${half} ${y} ${half} ${inRiver} ${start} ${inRiver} L${end} ${inRiver}`;
    }),
    outflows: boxes(tables.length, (index) => {
      const y = tableTop + index * (tableHeight + tableGap) + tableHeight / 2;
      const half = (end + tableX) / 2;
      const inRiver = middle + stripe(tables[index] ?? (sources - 1) / 2, sources);
      return `M${end} ${inRiver} C${half} ${inRiver} ${half} ${y} ${tableX} ${y}`;
    }),
    spills: [spill(waiting), spill(deadLetters)],
    label: { x: centre, y: middle - stripe(sources - 1, sources) - 18 },
  };
}

/** One column, with the river running down along its right side. */
function narrow(width: number, sources: number, tables: readonly (number | undefined)[]): FlowLayout {
  const [lane, sourceHeight, tableHeight, gap] = [64, 66, 44, 10];
  const boxWidth = width - lane;
  const river = width - lane / 2 + 8;
  const sourcesEnd = sources * (sourceHeight + gap);
  const pillsAt = sourcesEnd + 30;
  const tablesAt = pillsAt + 46 + gap + 6;
  const height = tablesAt + tables.length * (tableHeight + gap) - gap;
  const pillWidth = (boxWidth - gap) / 2;
  const waiting = { x: 0, y: pillsAt, width: pillWidth, height: 46 };
  const deadLetters = { x: pillWidth + gap, y: pillsAt, width: pillWidth, height: 46 };
  const branch = (fromY: number, y: number, toX: number) =>
    `M${river} ${fromY} C${river} ${y} ${river} ${y} ${toX} ${y}`;
  return {
    width,
    height,
    isNarrow: true,
    sources: boxes(sources, (index) => ({
      x: 0,
      y: index * (sourceHeight + gap),
      width: boxWidth,
      height: sourceHeight,
    })),
    tables: boxes(tables.length, (index) => ({
      x: 0,
      y: tablesAt + index * (tableHeight + gap),
      width: boxWidth,
      height: tableHeight,
    })),
    waiting,
    deadLetters,
    inflows: boxes(sources, (index) => {
      const y = index * (sourceHeight + gap) + sourceHeight / 2;
      const x = river - stripe(index, sources);
      return `M${boxWidth} ${y} C${x} ${y} ${x} ${y} ${x} ${y + 34} L${x} ${tablesAt}`;
    }),
    outflows: boxes(tables.length, (index) => {
      const y = tablesAt + index * (tableHeight + gap) + tableHeight / 2;
      const x = river - stripe(tables[index] ?? (sources - 1) / 2, sources);
      return `M${x} ${tablesAt} L${x} ${y - 16} C${x} ${y} ${x} ${y} ${boxWidth} ${y}`;
    }),
    spills: [branch(pillsAt - 30, pillsAt + 16, waiting.width), branch(pillsAt - 14, pillsAt + 30, boxWidth)],
    label: { x: boxWidth / 2, y: sourcesEnd + 14 },
  };
}

function boxes<Made>(count: number, make: (index: number) => Made): Made[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
