-- metered_span: from when to when job accounting knows a cluster
-- grain:  cluster
-- units:  instants
-- reads:  job; a job still running reaches to the newest instant of all jobs

select
    job.cluster,
    min(job.start) as first_instant,
    max(coalesce(job."end", (select max(latest."end") from job as latest))) as last_instant
from job
where job.start is not null
group by job.cluster
order by job.cluster
