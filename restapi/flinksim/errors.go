package flinksim

import (
	"fmt"
	"net/http"
	"strings"
)

// Errors are {"errors": […]}; all but the missing page carry a stack trace.

func failure(status int, texts ...string) answer {
	var e enc
	e.obj()
	e.keyArr("errors")
	for _, t := range texts {
		e.str(t)
	}
	e.endArr()
	e.end()
	return answer{status, e.b}
}

func missingFile(path string) answer {
	return failure(http.StatusNotFound, "Unable to load requested file "+path+".")
}

func notFound(text string) answer {
	return failure(http.StatusNotFound, "org.apache.flink.runtime.rest.NotFoundException: "+text+stackTrace())
}

func badParameter(what, value string) answer {
	return failure(http.StatusBadRequest, fmt.Sprintf(
		"org.apache.flink.runtime.rest.handler.RestHandlerException: Bad request, could not parse parameters: Cannot resolve %s from value %q.%s",
		what, value, stackTrace()))
}

func internal(exception string) answer {
	return failure(http.StatusInternalServerError, "Internal server error.",
		"<Exception on server side:\n"+exception+stackTrace()+"\nEnd of exception on server side>")
}

func noLeader() answer {
	return failure(http.StatusServiceUnavailable, "Service temporarily unavailable due to an ongoing leader election. Please refresh.")
}

// stackTrace is 5 to 6 KB of frames, as long as real ones are.
func stackTrace() string {
	frames := []string{
		"org.apache.flink.runtime.rest.handler.AbstractRestHandler.respondToRequest(AbstractRestHandler.java:83)",
		"org.apache.flink.runtime.rest.handler.AbstractHandler.respondAsLeader(AbstractHandler.java:196)",
		"org.apache.flink.runtime.rest.handler.LeaderRetrievalHandler.channelRead0(LeaderRetrievalHandler.java:85)",
		"org.apache.flink.shaded.netty4.io.netty.channel.AbstractChannelHandlerContext.fireChannelRead(AbstractChannelHandlerContext.java:412)",
		"org.apache.flink.runtime.rest.handler.router.RouterHandler.routed(RouterHandler.java:115)",
	}
	var b strings.Builder
	for i := range 50 {
		b.WriteString("\n\tat " + frames[i%len(frames)])
	}
	return b.String()
}
