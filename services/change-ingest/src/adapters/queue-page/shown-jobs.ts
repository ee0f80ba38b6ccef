import { deliveryJobSchema } from '@artist-watch/contracts/jobs';
import { redactText } from '@artist-watch/observability/redaction';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';

type ShownJob = NonNullable<Awaited<ReturnType<BullMQAdapter['getJob']>>>;
type JobFields = ReturnType<ShownJob['toJSON']>;

/**
 * Jobs as the page may show them. Ours hold ids and times and nothing else; whatever else somebody has put into the
 * queue is not shown, since nobody knows what is in it.
 */
export class ShownJobs extends BullMQAdapter {
  override async getJob(id: string): Promise<ShownJob | undefined> {
    const job = await super.getJob(id);
    return job && shown(job);
  }

  override async getJobs(...range: Parameters<BullMQAdapter['getJobs']>): Promise<ShownJob[]> {
    return (await super.getJobs(...range)).map(shown);
  }

  override async getJobLogs(): Promise<string[]> {
    return [];
  }
}

function shown(job: ShownJob): ShownJob {
  return Object.create(job, { toJSON: { value: () => fieldsToShow(job.toJSON()) } }) as ShownJob;
}

function fieldsToShow(fields: JobFields): JobFields {
  const data = deliveryJobSchema.safeParse(fields.data);
  const { attempts, delay } = fields.opts ?? {};
  return {
    ...fields,
    name: data.success ? fields.name : '(not ours)',
    data: data.success ? data.data : {},
    opts: { ...(attempts === undefined ? {} : { attempts }), ...(delay === undefined ? {} : { delay }) },
    progress: {},
    returnvalue: null,
    stacktrace: [],
    failedReason: data.success ? redactText(fields.failedReason ?? '') : '',
  };
}
