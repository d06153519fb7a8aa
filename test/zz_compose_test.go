package test
import ("testing";"os";"os/exec";"path/filepath";"strings";"time";"fmt"
"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
)
func TestZZ(t *testing.T){
 d,err:=flink.Install(t.Context(),"1.20.3"); if err!=nil {t.Fatal(err)}
 c:=flink.Start(t, flink.Options{Distribution:d, TaskManagers:1, Slots:6})
 c.AwaitSlots(t)
 jar,err:=jobs.Build(d.Classpath(), t.TempDir()); if err!=nil {t.Fatal(err)}
 conf:=t.TempDir(); os.WriteFile(filepath.Join(conf,"flink-conf.yaml"),[]byte("rest.address: x\n"),0o600)
 cmd:=exec.Command("java","--add-opens=java.base/java.util=ALL-UNNAMED","--add-opens=java.base/java.lang=ALL-UNNAMED","-cp",d.Classpath(),"org.apache.flink.client.cli.CliFrontend","run","--detached","--jobmanager",strings.TrimPrefix(c.URL(),"http://"),"--class","SkewJob",jar)
 cmd.Args=append(cmd.Args, strings.Fields("--name orders --parallelism 5 --max-parallelism 128 --sinks 2 --hot-percent 60 --hot-key 32 --enrich-us 1000")...)
 cmd.Env=append(os.Environ(),"FLINK_CONF_DIR="+conf)
 out,err:=cmd.CombinedOutput(); fmt.Println(string(out),err)
 time.Sleep(45*time.Second)
 out,err=exec.Command("/tmp/pack-fse","diagnose","--flink.url="+c.URL(),"--polls=4").CombinedOutput(); fmt.Println(string(out),err)
}
